# A measured cone-beam scan, from its file to images: the decks of inputs/, with voxels as wide as four channels and
# as high as the five detector rows.
cp inputs/rock_preprocess.yaml inputs/rock_fdk.yaml inputs/rock_vcd.yaml .
scan=(--set input.line_integrals.file=inputs/data/rock.nxs --set input.angles.file=inputs/data/rock.nxs)
run preprocess rock_preprocess.yaml "${scan[@]}" --output rock_sinogram.h5
grep -qF 'line integrals [120][5][400]' preprocess.said || { cat preprocess.said; fail "the axes are not in order"; }
run preprocess rock_preprocess.yaml "${scan[@]}" --set preprocess.stripe_removal.method=none --output rock_striped.h5

data=(--set input.sinogram.file=rock_sinogram.h5 --set geometry.angles.file=rock_sinogram.h5)
coarse=(--set geometry.delta_voxel=0.26 --set geometry.voxel_slice_aspect=1.25
  --set "geometry.recon_shape=[100, 100, 1]")
run recon rock_vcd.yaml "${data[@]}" --check --output never.h5
run recon rock_fdk.yaml "${data[@]}" "${coarse[@]}" --output fdk.h5
run recon rock_vcd.yaml "${data[@]}" "${coarse[@]}" --output vcd.h5 \
  --set reconstruction.max_iterations=12 --set reconstruction.stop_excess_pct=0
[ -s vcd_axial.png ] || fail "there is no picture"
compare "$case/reference.h5" fdk.h5 --map /fdk=/recon --nrmse 1e-4
compare "$case/reference.h5" vcd.h5 --map /vcd=/recon --nrmse 1e-3

# With its stripes the scan gives another image: rings.
run recon rock_fdk.yaml "${data[@]}" "${coarse[@]}" --set input.sinogram.file=rock_striped.h5 --output striped.h5
refuse 1 DIFFERS compare "$case/reference.h5" striped.h5 --map /fdk=/recon --nrmse 0.3

# An order of axes is never guessed.
sed '/axes:/d' rock_preprocess.yaml >no_axes.yaml
refuse 2 'expected the order of view, det_row and channel' preprocess no_axes.yaml "${scan[@]}" --output never.h5
absent never.h5
