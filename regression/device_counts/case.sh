# outputs DEVICES: everything that the programs make on that many devices.
outputs() {
  local devices=(--devices "$1")
  run recon recon.yaml "${devices[@]}" --output "vcd_$1.h5"
  run recon recon.yaml "${devices[@]}" --output "plain_$1.h5" --set reconstruction.acceleration=none
  run recon recon.yaml "${devices[@]}" --output "positive_$1.h5" --set reconstruction.positivity_flag=true
  run recon recon.yaml "${devices[@]}" --output "reference_$1.h5" --set reconstruction.reference_mode=true
  run recon recon.yaml "${devices[@]}" --output "fbp_$1.h5" --set reconstruction.algorithm=fbp
  for operation in forward back hessian_diagonal direct_filter; do
    # The forward projector reads no sinogram, so its shape has to be given.
    run project recon.yaml "${devices[@]}" --output "${operation}_$1.h5" --set project.operation="$operation" \
      --set geometry.sinogram_shape='[37, 11, 29]'
  done
}

run simulate simulate.yaml
outputs 1
for devices in 2 3 5 7; do
  outputs $devices
  for name in vcd plain positive reference; do
    equal ${name}_1.h5 ${name}_$devices.h5 /recon /history/fm_rmse /history/pct_change /history/alpha /history/prior_loss \
      /history/delta_norm_per_slice
  done
  equal fbp_1.h5 fbp_$devices.h5 /recon
  equal forward_1.h5 forward_$devices.h5 /sinogram
  equal back_1.h5 back_$devices.h5 /back_projection
  equal hessian_diagonal_1.h5 hessian_diagonal_$devices.h5 /hessian_diagonal
  equal direct_filter_1.h5 direct_filter_$devices.h5 /filtered_sinogram
done

# Whatever form the exchange between devices has: by default each kind of projection tries both.
for form in cylinders bands; do
  form_of=(--devices 3 --set devices.exchange=$form)
  run recon recon.yaml "${form_of[@]}" --output "vcd_$form.h5"
  equal vcd_1.h5 "vcd_$form.h5" /recon /history/fm_rmse
  run project recon.yaml "${form_of[@]}" --output "back_$form.h5" --set project.operation=back
  equal back_1.h5 "back_$form.h5" /back_projection
done

# One view, two slices, seven devices.
small=(--set geometry.sinogram_shape='[1, 2, 9]' --set geometry.recon_shape='[9, 9, 2]')
run simulate simulate.yaml --output small.h5 "${small[@]}" --set geometry.angles='{values: [30], unit: deg}' \
  --set simulate.noise.photons=100
single=("${small[@]}" --set geometry.angles.file=small.h5)
for input in sinogram weights; do single+=(--set input.$input.file=small.h5); done
for devices in 1 7; do run recon recon.yaml "${single[@]}" --devices $devices --output "small_$devices.h5"; done
equal small_1.h5 small_7.h5 /recon /history/fm_rmse
