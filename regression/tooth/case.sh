# The decks of the demo, with an image of voxels of eight channels so that it takes a second.
cp inputs/tooth_preprocess.yaml inputs/tooth_recon.yaml .
run preprocess tooth_preprocess.yaml --set input.scan=inputs/data/tooth.h5 --output tooth_sinogram.h5
"$bin/strata_info" tooth_sinogram.h5 >info.said || fail "strata_info"
grep -qF 'det_channel_offset -23.6' info.said || { cat info.said; fail "the rotation axis is not where it was"; }
data=(--set input.sinogram.file=tooth_sinogram.h5 --set geometry.angles.file=tooth_sinogram.h5)
run recon tooth_recon.yaml "${data[@]}" --check --output never.h5
run recon tooth_recon.yaml "${data[@]}" --output coarse.h5 \
  --set geometry.delta_voxel=8 --set reconstruction.max_iterations=4 \
  --set 'reconstruction.granularity=[8, 32, 64]' --set 'reconstruction.partition_sequence=[0, 1, 2]'
"$bin/strata_info" coarse.h5 >info.said || fail "strata_info"
for figure in 'delta_voxel 8 x 8 x 1' 'forward loss' 'change' 'seconds' 'memory'; do
  grep -qF "$figure" info.said || { cat info.said; fail "strata_info does not say: $figure"; }
done
[ -s coarse_axial.png ] || fail "there is no picture"
compare "$case/reference.h5" coarse.h5 --map /recon=/recon --nrmse 1e-4
