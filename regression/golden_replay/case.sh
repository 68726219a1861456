# The tolerance of the images is that of the start image: the reference sums its scale in single precision.
run recon basic.yaml
compare golden/parallel_basic.h5 basic.h5 --map /runs/noisy/recon_20=/recon --nrmse 2e-5
run recon basic.yaml --devices 3 --output basic3.h5
equal basic.h5 basic3.h5 /recon /history/fm_rmse /history/alpha /history/pct_change
run recon odd.yaml
compare golden/parallel_odd_nonsquare.h5 odd.h5 --map /runs/noisy/recon_20=/recon --nrmse 2e-5

run project project.yaml --set project.operation=forward
compare golden/parallel_basic.h5 project.h5 --map /sinogram=/sinogram --nrmse 1e-6
run project project.yaml --set project.operation=back
compare golden/parallel_basic.h5 project.h5 --map /back_projection=/back_projection --nrmse 1e-6
run project project.yaml --set project.operation=hessian_diagonal
compare golden/parallel_basic.h5 project.h5 --map /hessian_diagonal=/hessian_diagonal --nrmse 1e-6
run project project.yaml --set project.operation=direct_filter --set input.sinogram.dataset=/sinogram
compare golden/parallel_basic.h5 project.h5 --map /filtered_sinogram=/filtered_sinogram --nrmse 1e-5
