run simulate simulate.yaml
for threads in 1 2 3; do
  export OMP_NUM_THREADS=$threads
  run recon recon.yaml --output vcd_$threads.h5
  # Acceleration, in parallel beams with cells of pixels.
  run recon recon.yaml --output cells_$threads.h5 --set reconstruction.acceleration=subspace
  run recon recon.yaml --output fbp_$threads.h5 --set reconstruction.algorithm=fbp
  run project recon.yaml --output back_$threads.h5 --set project.operation=back
  run simulate simulate.yaml --output forward_$threads.h5
  for name in vcd cells fbp; do equal ${name}_1.h5 ${name}_$threads.h5 /recon; done
  equal vcd_1.h5 vcd_$threads.h5 /history/fm_rmse /history/pct_change /history/alpha /history/prior_loss
  equal back_1.h5 back_$threads.h5 /back_projection
  equal forward_1.h5 forward_$threads.h5 /sinogram /weights
done
# More threads than processors, more devices than threads.
export OMP_NUM_THREADS=16
run recon recon.yaml --output vcd_16.h5 --devices 5
run recon recon.yaml --output cells_16.h5 --devices 5 --set reconstruction.acceleration=subspace
for name in vcd cells; do equal ${name}_1.h5 ${name}_16.h5 /recon; done
