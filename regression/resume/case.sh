run simulate simulate.yaml
run recon recon.yaml --output whole.h5
absent whole.h5.checkpoint

# Interrupted in the middle of passes, twice, on different numbers of devices.
interrupt out.log 'iteration 3 of 24' recon recon.yaml
absent out.h5
[ -e out.h5.checkpoint ] || fail "there is no checkpoint"
grep -q 'error: interrupted' recon.said || fail "the run does not say that it was interrupted"
refuse 2 'was made with seed 0' recon recon.yaml --resume --set reconstruction.seed=5
interrupt out.log 'iteration 9 of 24' recon recon.yaml --resume --devices 2
grep -q 'resuming after' recon.said || fail "the run does not say that it resumes"
! grep -q 'is now' recon.said || { cat recon.said; fail "a deck that has not changed is said to have changed"; }
# A changed deck is gone on with, and said so.
cp out.h5.checkpoint other.h5.checkpoint
"$bin/strata_recon" recon.yaml --resume --output other.h5 --set reconstruction.sharpness=2 \
  --set reconstruction.max_iterations=13 >other.said 2>&1 || { cat other.said; fail "the changed run failed"; }
grep -q 'warn.*--resume: reconstruction.sharpness is now 2' other.said || { cat other.said; fail "no word of sharpness"; }
[ "$(grep -c -- 'is now' other.said)" = 2 ] || { cat other.said; fail "more than sharpness and sigma_x is named"; }
run recon recon.yaml --resume
absent out.h5.checkpoint
compare whole.h5 out.h5 --only /recon --only /history/fm_rmse --nrmse 1e-5
refuse 2 'there is none' recon recon.yaml --resume

# With acceleration, in parallel beams with cells of pixels: a resumed run takes up its steps. Without them the image is off
# by 3 %.
fast=(--set reconstruction.acceleration=subspace --set reconstruction.stop_excess_pct=1e-9 --set reconstruction.max_iterations=24)
run recon recon.yaml "${fast[@]}" --output fast_whole.h5
interrupt fast.log 'iteration 9 of 24' recon recon.yaml "${fast[@]}" --output fast.h5
run recon recon.yaml "${fast[@]}" --output fast.h5 --resume --devices 2
compare fast_whole.h5 fast.h5 --only /recon --nrmse 1e-5

# Without checkpoints nothing is left, and the run stops at once.
interrupt out.log 'regularisation' recon recon.yaml --set output.checkpoint='{}' --output late.h5 --set output.log=out.log
absent late.h5 late.h5.checkpoint late.h5.*.part
