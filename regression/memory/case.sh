# Whether the memory that was planned is what runs take: what check_memory reads from the provenance of their files.
# scan NAME: the sinogram of NAME.yaml, on one device.
# runs NAME DEVICES: VCD, or what the deck says, from it.
scan() { run simulate "$1.yaml" --output "$1_scan.h5"; }
runs() { run recon "$1.yaml" --devices "$2" --output "$1_$2.h5"; }
check() { "$bin/check_memory" "$@" || fail "check_memory $*"; }

for name in parallel cone translation multiaxis displaced; do
  scan $name
  check ${name}_scan.h5
  for devices in 1 4; do runs $name $devices; done
  equal ${name}_1.h5 ${name}_4.h5 /recon
done
# Weights, sinogram, and one more while the image begins.
check parallel_1.h5 volumes /recon 5.5 parallel_scan.h5 3
for name in cone multiaxis; do check ${name}_1.h5 volumes /recon 5.5 ${name}_scan.h5 3; done
check translation_1.h5 # of 48 rows: workspaces are larger than volumes
check displaced_1.h5
# Subsets of the first passes are as large as volumes: devices exchange them in chunks.
for name in parallel cone translation multiaxis displaced; do check ${name}_4.h5 sum ${name}_1.h5 1.15; done

# Acceleration, with room to mend negative voxels, and the sums of the objective.
accelerated="--set reconstruction.acceleration=subspace --set reconstruction.coarse_start=false --set reconstruction.positivity_flag=true"
for devices in 1 4; do
  # shellcheck disable=SC2086
  run recon cone.yaml --devices $devices $accelerated --output accelerated_$devices.h5
done
equal accelerated_1.h5 accelerated_4.h5 /recon
check accelerated_1.h5
check accelerated_4.h5 sum accelerated_1.h5 1.15

# An image from coarse grids, compared with the direct one: the fullest stage with many subsets.
coarse="--set reconstruction.acceleration=subspace --set reconstruction.coarse_start=true"
for name in cone parallel; do
  for devices in 1 4; do
    # shellcheck disable=SC2086
    run recon $name.yaml --devices $devices $coarse --output coarse_${name}_$devices.h5
    check coarse_${name}_$devices.h5
  done
  equal coarse_${name}_1.h5 coarse_${name}_4.h5 /recon
done

# The same of a proximal map, whose input stands on the coarse grids, too.
for devices in 1 4; do
  # shellcheck disable=SC2086
  run recon cone.yaml --devices $devices $coarse --set reconstruction.algorithm=prox \
    --set input.prox_input='{file: cone_scan.h5, dataset: /phantom}' --output coarse_prox_$devices.h5
  grep -q 'initial image: from grids' recon.said || fail "the proximal map does not begin on coarse grids"
  check coarse_prox_$devices.h5
done
equal coarse_prox_1.h5 coarse_prox_4.h5 /recon

# Checkpoints are staged while the arrays of passes are there.
run recon multiaxis.yaml --devices 1 --set output.checkpoint.every_iterations=1 --set reconstruction.max_iterations=2 \
  --set reconstruction.coarse_start=false --output checkpoints.h5
check checkpoints.h5

# One operator, or direct reconstruction: four devices take together what one does.
for devices in 1 4; do
  run recon parallel.yaml --devices $devices --set reconstruction.algorithm=fbp --output fbp_$devices.h5
  for operation in forward back; do
    run project parallel.yaml --devices $devices --set project.operation=$operation --output ${operation}_$devices.h5
  done
done
equal forward_1.h5 forward_4.h5 /sinogram
for name in fbp forward back; do
  check ${name}_1.h5
  check ${name}_4.h5 sum ${name}_1.h5 1.15
done

# Bands take no more than cylinders.
run project parallel.yaml --devices 4 --set project.operation=back --set devices.exchange=bands --output bands.h5
equal back_1.h5 bands.h5 /back_projection
check bands.h5 sum back_1.h5 1.15

# Less memory makes shorter bands and the same bits, until not even the shortest fits.
fraction() { awk -v bytes="$("$bin/check_memory" "$1" bytes)" -v factor="$2" 'BEGIN {printf "%.6f", bytes * factor / 1e9}'; }
limit=$(fraction back_4.h5 0.985)
run project parallel.yaml --devices 4 --set project.operation=back --output less.h5 --set devices.memory_limit_gb="$limit"
equal back_1.h5 less.h5 /back_projection
[ "$("$bin/check_memory" less.h5 bytes)" -lt "$("$bin/check_memory" back_4.h5 bytes)" ] || fail "the limit changed nothing"
refuse 3 'larger voxels' project parallel.yaml --devices 4 --set project.operation=back --set devices.memory_limit_gb=0.005

# The same for VCD, whose chunks become shorter.
limit=$(fraction cone_4.h5 0.985)
run recon cone.yaml --devices 4 --output less_vcd.h5 --set devices.memory_limit_gb="$limit"
equal cone_1.h5 less_vcd.h5 /recon
check less_vcd.h5
awk -v bytes="$("$bin/check_memory" less_vcd.h5 bytes)" -v limit="$limit" 'BEGIN {exit !(bytes <= limit * 1e9)}' ||
  fail "the run took more than its limit"
refuse 3 'larger voxels' recon cone.yaml --devices 4 --set devices.memory_limit_gb=0.005
