# Every operator once, as on a GPU. The answers do not depend on the number of threads.
run bench --suite gpu_small --repeat 1 --answers two.h5 --json two.json
OMP_NUM_THREADS=1 run bench --suite gpu_small --repeat 1 --answers one.h5
compare two.h5 one.h5 --nrmse 0 --max-relative 0 --require-all --quiet
rows=$(grep -c '"work_unit"' two.json)
[ "$rows" = 21 ] || fail "expected 21 rows in two.json, got $rows"
refuse 2 "none of the rows matches" bench --suite gpu_small --rows '*/nothing/*'
