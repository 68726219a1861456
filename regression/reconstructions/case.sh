run simulate simulate.yaml
scan='{sinogram: {file: scan.h5, dataset: /sinogram}, weights: {file: scan.h5, dataset: /weights}}'
run recon one.yaml --output start.h5 --set input="$scan" --set reconstruction.max_iterations=2

# --check names every result and writes nothing.
run recon list.yaml --check
for words in 'reconstructions: 4 of one scan' 'reconstructions[0]: vcd' 'reconstructions[1]: fbp' 'sigma_prox 0.02' 'crisp.h5'; do
  grep -qF -- "$words" recon.said || fail "--check does not say: $words"
done
absent smooth.h5 fbp.h5 prox.h5 crisp.h5 all.log

# One run gives the bits of separate runs, on several devices as well, and one log.
run recon list.yaml --devices 2
[ "$(grep -c 'reconstructions\[' all.log)" = 8 ] || fail "the log does not name each reconstruction at the start and in its turn"
[ "$(grep -c 'wrote ' all.log)" = 4 ] || fail "expected four results in the log"
absent smooth.log smooth.h5.checkpoint prox.h5.checkpoint crisp.h5.checkpoint
[ -e fbp_axial.png ] || fail "there are no pictures of fbp.h5"
absent smooth_axial.png
separate() {
  local name=$1
  shift
  run recon one.yaml --output "separate_$name.h5" "$@"
  equal "separate_$name.h5" "$name.h5" /recon
}
separate smooth --set reconstruction.sharpness=0
separate fbp --set reconstruction.algorithm=fbp
separate prox --set reconstruction.algorithm=prox --set reconstruction.sigma_prox=0.02 --set reconstruction.seed=3
separate crisp --set reconstruction.sharpness=2 --set reconstruction.positivity_flag=true
equal separate_crisp.h5 crisp.h5 /history/fm_rmse /history/alpha

# Errors name the item.
refuse 2 'reconstructions[1].sharpness: expected a number' recon one.yaml --set 'reconstructions=[{output: {file: a.h5}}, {sharpness: x, output: {file: b.h5}}]' --set output='{}'
refuse 2 'reconstructions[0].sharpnes: unknown key, did you mean' recon one.yaml --set 'reconstructions=[{sharpnes: 1, output: {file: a.h5}}]' --set output='{}'
refuse 2 'reconstructions[1].output.file: missing' recon one.yaml --set 'reconstructions=[{output: {file: a.h5}}, {sharpness: 1}]' --set output='{}'
refuse 2 'reconstructions[1].output.file: expected a file name of its own' recon one.yaml --set 'reconstructions=[{output: {file: a.h5}}, {output: {file: ./a.h5}}]' --set output='{}'
refuse 2 'reconstructions[0].output.log: has no effect' recon one.yaml --set 'reconstructions=[{output: {file: a.h5, log: b.log}}]' --set output='{}'
refuse 2 'output.file: has no effect beside reconstructions' recon one.yaml --set 'reconstructions=[{output: {file: a.h5}}]'
refuse 2 'reconstructions: expected a list of maps' recon one.yaml --set 'reconstructions={sharpness: 1}'
absent a.h5 b.h5

# Interrupted in the third result: the first two stay, the run goes on there.
rm -f smooth.h5 fbp.h5 prox.h5 crisp.h5 all.log
refuse 2 'there is none' recon list.yaml --resume
interrupt prox.h5.checkpoint '' recon list.yaml --set reconstruction.max_iterations=400
[ -e smooth.h5 ] && [ -e fbp.h5 ] && [ -e prox.h5.checkpoint ] || fail "expected two results and a checkpoint"
absent prox.h5 crisp.h5
touch -d '1 hour ago' smooth.h5 fbp.h5
run recon list.yaml --resume --set reconstruction.max_iterations=400
grep -q 'smooth.h5: written before' recon.said || fail "the resumed run does not say what is done"
grep -q 'resuming after' recon.said || fail "the run does not say that it resumes"
[ -e prox.h5 ] && [ -e crisp.h5 ] || fail "results are missing"
absent prox.h5.checkpoint crisp.h5.checkpoint
[ smooth.h5 -ot all.log ] || fail "smooth.h5 was made again"

# An image to begin with: of another grid, or the prox input.
run recon one.yaml --output coarse.h5 --set input="$scan" --set geometry.delta_voxel=2 --set geometry.recon_shape='[24, 24, 9]' --set reconstruction.max_iterations=4
run recon one.yaml --output from_coarse.h5 --set input.initial_image='{file: coarse.h5, dataset: /recon}' --set reconstruction.max_iterations=20 --set reconstruction.acceleration=none
grep -q 'resampled to \[48\]\[48\]\[9\]' recon.said || fail "the run does not say that it resamples"
run recon one.yaml --output long.h5 --set reconstruction.max_iterations=20 --set reconstruction.acceleration=none
run recon one.yaml --output from_zero.h5 --set input.initial_image=0 --set reconstruction.max_iterations=20 --set reconstruction.acceleration=none
# Few plain passes remember where they began: far nearer than from nothing.
compare long.h5 from_coarse.h5 --only /recon --nrmse 0.3
refuse 1 DIFFERS compare long.h5 from_zero.h5 --only /recon --nrmse 0.5
run recon one.yaml --output from_prox.h5 --set input.initial_image=prox_input --set reconstruction.max_iterations=6 --set reconstruction.first_iteration=2
run recon one.yaml --output from_file.h5 --set input.initial_image='{file: start.h5}' --set reconstruction.max_iterations=6 --set reconstruction.first_iteration=2
equal from_file.h5 from_prox.h5 /recon
run recon one.yaml --output from_direct.h5 --set input.initial_image=direct --set reconstruction.max_iterations=2
equal start.h5 from_direct.h5 /recon

# Of a given image only the region of reconstruction counts: nothing would ever correct what is outside.
run recon one.yaml --output square.h5 --set input="$scan" --set geometry.use_ror_mask=false --set reconstruction.max_iterations=2
run recon one.yaml --output round.h5 --set input.initial_image='{file: square.h5}' --set reconstruction.max_iterations=0
refuse 1 DIFFERS compare square.h5 round.h5 --only /recon --nrmse 1e-4
run recon one.yaml --output same.h5 --set input.initial_image='{file: square.h5}' --set reconstruction.max_iterations=0 \
  --set geometry.use_ror_mask=false
equal square.h5 same.h5 /recon

# What has no iterations cannot be resumed.
refuse 2 '--resume: expected algorithm vcd or prox, got fbp' recon one.yaml --resume --set reconstruction.algorithm=fbp
