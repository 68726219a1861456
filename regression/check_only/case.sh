before=$(find . | sort)
run recon recon.yaml --check --devices 3
for words in 'geometry: parallel' 'sinogram: 24 views x 10 det rows x 28 channels' 'recon: 28 rows x 28 cols x 10 slices' \
  '560 of 784 pixels' 'device 2: slices [8, 10)' 'a device' 'host: '; do
  grep -qF -- "$words" recon.said || fail "--check does not say: $words"
done
run recon recon.yaml --check --devices 3 --set devices.exchange=bands
grep -qE '^exchange: bands; cylinders of [0-9]+ pixels, bands of 1 of 1 blocks x [0-9]+ pixels' recon.said ||
  fail "--check does not say how devices exchange"
# The folder of the output may be made later.
run recon recon.yaml --check --output no_such_folder/out.h5
run project recon.yaml --check --set project.operation=back
run simulate recon.yaml --check --set geometry.sinogram_shape='[24, 10, 28]'
refuse 3 'devices.memory_limit_gb allows' recon recon.yaml --check --set devices.memory_limit_gb=1e-4
refuse 3 'devices.memory_limit_gb allows' recon recon.yaml --set devices.memory_limit_gb=1e-4
[ "$(grep -c ' error: ' recon.said)" = 1 ] || fail "expected one error line"
grep -q 'use more devices' recon.said || fail "the sentence does not say what to turn"
rm -f out.log # of the run that was not --check
after=$(find . ! -name '*.said' | sort)
[ "$before" = "$after" ] || fail "files appeared: $(diff <(echo "$before") <(echo "$after"))"
