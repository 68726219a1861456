/// What the machine can do at best, measured in the same run as the kernels that are held against it.
#pragma once

namespace strata::bench {

/// Processor time of all threads so far. Per thread it is what the clock would show on an idle machine.
double cpu_seconds();
/// 1e9 float fused multiply-adds a second, all threads of the default instance, operands in registers.
double fma_peak();
/// 1e9 bytes a second of a = b + s * c on arrays that do not fit into cache, 12 bytes counted an element.
double triad();

}  // namespace strata::bench
