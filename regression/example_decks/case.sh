# The decks of inputs/ run as they are. They write to ../results, so they run in copies of their own.
rm inputs
mkdir -p inputs results
cp "$source"/inputs/*.yaml inputs/

run simulate inputs/parallel_simulate.yaml
run recon inputs/parallel_fbp.yaml
run recon inputs/parallel_vcd.yaml --set reconstruction.max_iterations=4
run project inputs/parallel_project.yaml
run recon inputs/parallel_several.yaml
for operation in back hessian_diagonal direct_filter; do
  run project inputs/parallel_project.yaml --set project.operation=$operation --output results/$operation.h5
done
# The exact projection is the noisy scan within its noise; the image of the better method is the better one.
compare results/parallel_projected.h5 results/parallel_scan.h5 --only /sinogram --nrmse 0.03
compare results/parallel_scan.h5 results/parallel_vcd.h5 --map /phantom=/recon --nrmse 0.15
refuse 1 DIFFERS compare results/parallel_scan.h5 results/parallel_fbp.h5 --map /phantom=/recon --nrmse 0.15

# The other geometries: how far the images may be from the phantom, and that FDK is farther.
# geometry NAME NRMSE
geometry() {
  run simulate "inputs/$1_simulate.yaml"
  grep -q warning: simulate.said && { cat simulate.said; fail "$1_simulate.yaml warns"; }
  run recon "inputs/$1_recon.yaml"
  compare "results/$1_scan.h5" "results/$1_recon.h5" --map /phantom=/recon --nrmse "$2"
  run recon "inputs/$1_recon.yaml" --set reconstruction.algorithm=direct --output "results/$1_direct.h5"
  cp recon.said "$1_direct.said"
  refuse 1 DIFFERS compare "results/$1_scan.h5" "results/$1_direct.h5" --map /phantom=/recon --nrmse "$2"
}
geometry cone 0.16
geometry curved 0.16
grep -qF 'short-scan weights: 220 degrees' curved_direct.said || fail "no word of short-scan weights"
geometry helical 0.25
grep -qF 'are incomplete' helical_direct.said || fail "no word of the ends of the helix"
geometry translation 0.42
geometry multiaxis 0.31
