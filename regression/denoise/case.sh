# The reference's run, from its own partition, and with the scales that it chose.
run denoise golden.yaml
compare golden/denoise.h5 golden_0.h5 --map /run_0/denoised_15=/recon --nrmse 2e-5
compare golden/denoise.h5 golden_0.h5 --map /run_0/change_pct=/history/pct_change --nrmse 1e-4
run denoise golden.yaml --devices 4 --output golden_4.h5
equal golden_0.h5 golden_4.h5 /recon /history/pct_change /history/alpha /history/fm_rmse

run simulate simulate.yaml
run recon fbp.yaml
run denoise denoise.yaml
[ -s denoised_axial.png ] || fail "there is no picture"
absent denoised.h5.checkpoint
for devices in 2 3 5 16; do
  run denoise denoise.yaml --devices $devices --output "denoised_$devices.h5"
  equal denoised.h5 "denoised_$devices.h5" /recon /history/pct_change /history/fm_rmse /history/delta_norm_per_slice
done
# Started from its own result, from zero and from a coarser image it ends in the same minimum.
converge=(--set denoise.max_iterations=300 --set denoise.sigma_noise=0.02 --set denoise.sigma_x=0.02)
run denoise denoise.yaml "${converge[@]}" --output minimum.h5
run denoise denoise.yaml "${converge[@]}" --output from_zero.h5 --set input.initial_image=0
compare minimum.h5 from_zero.h5 --only /recon --nrmse 1e-4
run recon fbp.yaml --output coarse.h5 --set geometry.recon_shape='[18, 19, 13]' --set geometry.delta_voxel=2
run denoise denoise.yaml "${converge[@]}" --output from_coarse.h5 --set input.initial_image='{file: coarse.h5}'
grep -q 'resampled to' denoise.said || fail "the coarse image was not resampled"
compare minimum.h5 from_coarse.h5 --only /recon --nrmse 1e-4

# An interrupted and resumed run makes the passes of a whole one, to the bit.
long=(--set denoise.max_iterations=400)
run denoise denoise.yaml "${long[@]}" --output whole.h5
interrupt parts.log 'iteration 5 of' denoise denoise.yaml "${long[@]}" --output parts.h5
absent parts.h5
[ -e parts.h5.checkpoint ] || fail "there is no checkpoint"
refuse 2 'was made with seed 0' denoise denoise.yaml --resume "${long[@]}" --output parts.h5 --set denoise.seed=5
run denoise denoise.yaml --resume "${long[@]}" --output parts.h5 --devices 2
absent parts.h5.checkpoint
equal whole.h5 parts.h5 /recon /history/pct_change /history/fm_rmse

# The prior's keys reach the prior, on any number of devices.
flat=(--set denoise.sigma_noise=0.02 --set denoise.sigma_x=0.02 --set denoise.qggmrf_nbr_wts='[1, 1, 0]')
run denoise denoise.yaml "${flat[@]}" --output flat.h5
run denoise denoise.yaml "${flat[@]}" --output flat_3.h5 --devices 3
equal flat.h5 flat_3.h5 /recon
refuse 1 DIFFERS compare flat.h5 denoised.h5 --only /recon --nrmse 1e-2
run denoise denoise.yaml "${flat[@]}" --output gauss.h5 --set denoise.q=2
refuse 1 DIFFERS compare flat.h5 gauss.h5 --only /recon --nrmse 1e-2
