run simulate simulate.yaml
compare "$case/reference.h5" simulated.h5 --map /sinogram=/sinogram --map /phantom=/phantom --nrmse 1e-6
run recon recon.yaml --set reconstruction.algorithm=fbp --output fbp.h5
compare "$case/reference.h5" fbp.h5 --map /fbp=/recon --nrmse 1e-5
run recon recon.yaml
compare "$case/reference.h5" vcd.h5 --map /vcd=/recon --map /fm_rmse=/history/fm_rmse --nrmse 2e-5
for view in axial coronal sagittal; do [ -s "vcd_$view.png" ] || fail "there is no picture vcd_$view.png"; done

# Noise: the same seed gives the same counts; 2000 photons change the line integrals by some percent.
noisy=(--set simulate.noise.photons=2000)
run simulate simulate.yaml "${noisy[@]}" --output noisy.h5
run simulate simulate.yaml "${noisy[@]}" --output again.h5 --devices 3
equal noisy.h5 again.h5 /sinogram /weights /phantom
run simulate simulate.yaml "${noisy[@]}" --set simulate.noise.seed=2 --output other.h5
refuse 1 DIFFERS compare noisy.h5 other.h5 --only /sinogram --nrmse 0.02
compare simulated.h5 noisy.h5 --only /sinogram --nrmse 0.08
# Statistics tell the image from noise: VCD is nearer to the phantom than FBP.
data=(--set input.sinogram.file=noisy.h5)
run recon recon.yaml "${data[@]}" --set reconstruction.algorithm=fbp --output noisy_fbp.h5
run recon recon.yaml "${data[@]}" --set input.weights='{file: noisy.h5, dataset: /weights}' --output noisy_vcd.h5
refuse 1 DIFFERS compare simulated.h5 noisy_fbp.h5 --map /phantom=/recon --nrmse 0.34
compare simulated.h5 noisy_vcd.h5 --map /phantom=/recon --nrmse 0.34
