# The decks of inputs/ run as they are. They write to ../results, so they run in copies of their own.
rm inputs
mkdir -p inputs results
cp "$source"/inputs/*.yaml inputs/

run simulate inputs/parallel_simulate.yaml
run recon inputs/parallel_fbp.yaml
run recon inputs/parallel_vcd.yaml --set reconstruction.max_iterations=4
run project inputs/parallel_project.yaml
for operation in back hessian_diagonal direct_filter; do
  run project inputs/parallel_project.yaml --set project.operation=$operation --output results/$operation.h5
done
# The exact projection is the noisy scan within its noise; the image of the better method is the better one.
compare results/parallel_projected.h5 results/parallel_scan.h5 --only /sinogram --nrmse 0.03
compare results/parallel_scan.h5 results/parallel_vcd.h5 --map /phantom=/recon --nrmse 0.15
refuse 1 DIFFERS compare results/parallel_scan.h5 results/parallel_fbp.h5 --map /phantom=/recon --nrmse 0.15
