/// The unit of work along the lanes of a block: a vector on the host, one thread on a GPU. Kernels that walk cylinders
/// or detector rows give one work item to each group of lanes, so one source serves both.
#pragma once

#include "core/base/types.hpp"

namespace strata {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
inline constexpr int lane_group = 1;
#else
inline constexpr int lane_group = 16;
#endif

/// Asks for the cache line of `address`, on the host: kernels that follow a list of pixels know where they go next, the
/// hardware does not.
KOKKOS_FORCEINLINE_FUNCTION void fetch([[maybe_unused]] Real const* address) {
  KOKKOS_IF_ON_HOST((__builtin_prefetch(address);))
}

/// `lane_group` accumulators in double.
struct LaneSums {
  double values[lane_group];
  KOKKOS_FUNCTION LaneSums() {
    for (int l = 0; l < lane_group; ++l) values[l] = 0;
  }
};

}  // namespace strata
