# start LINE ARGUMENT...: runs until the log holds LINE, then sends SIGINT; `status` is what the run returned.
start() {
  local line=$1 running
  shift
  rm -f out.log
  "$bin/strata_recon" recon.yaml "$@" >recon.said 2>&1 &
  running=$!
  for _ in $(seq 3000); do
    grep -qF -- "$line" out.log 2>&1 && break
    kill -0 "$running" 2>/dev/null || break
    sleep 0.01
  done
  kill -INT "$running" 2>/dev/null
  wait "$running"
  status=$?
}

run simulate simulate.yaml
run recon recon.yaml --output whole.h5
absent whole.h5.checkpoint

# Interrupted in the middle of passes, twice, on different numbers of devices.
start 'iteration 3 of 24'
[ "$status" = 130 ] || { cat recon.said; fail "expected status 130, got $status"; }
absent out.h5
[ -e out.h5.checkpoint ] || fail "there is no checkpoint"
grep -q 'error: interrupted' recon.said || fail "the run does not say that it was interrupted"
refuse 2 'was made with seed 0' recon recon.yaml --resume --set reconstruction.seed=5
start 'iteration 9 of 24' --resume --devices 2
[ "$status" = 130 ] || { cat recon.said; fail "expected status 130, got $status"; }
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

# Without checkpoints nothing is left, and the run stops at once.
start 'regularisation' --set output.checkpoint='{}' --output late.h5 --set output.log=out.log
[ "$status" = 130 ] || { cat recon.said; fail "expected status 130, got $status"; }
absent late.h5 late.h5.checkpoint late.h5.*.part
