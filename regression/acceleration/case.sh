# said WORDS: the last run of strata_recon must have said them.
said() { grep -qF -- "$1" recon.said || { cat recon.said; fail "the run does not say '$1'"; }; }

run simulate simulate.yaml
set_all=(--set reconstruction.stop_excess_pct=1e-9 --set reconstruction.max_iterations)

# It stops by itself, says how far it is, and is as near to the minimum as it says.
run recon recon.yaml
said 'converged: the objective is at most 0.0'
said '% above its minimum'
run recon recon.yaml "${set_all[@]}=70" --output minimum.h5
said 'not converged: max_iterations reached, the objective is at most'
compare minimum.h5 out.h5 --only /recon --nrmse 0.02
run recon recon.yaml "${set_all[@]}=200" --set reconstruction.acceleration=none \
  --set reconstruction.stop_threshold_change_pct=0 --output plain.h5
compare plain.h5 minimum.h5 --only /recon --nrmse 1e-3

# The same bits on any number of devices, with everything that there is.
full=(--set reconstruction.positivity_flag=true --set reconstruction.acceleration_directions=2)
for devices in 1 2 3 7; do
  run recon recon.yaml "${full[@]}" "${set_all[@]}=8" --devices $devices --output positive_$devices.h5
  equal positive_1.h5 positive_$devices.h5 /recon /history/objective /history/alpha
done

refuse 2 'the reference has no acceleration' recon recon.yaml --set reconstruction.reference_mode=true
refuse 2 'expected 1 or 2, got 3' recon recon.yaml --set reconstruction.acceleration_directions=3
refuse 2 'stop_excess_pct' recon recon.yaml --set reconstruction.stop_excess_pct=-1
