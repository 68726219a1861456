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

/// `lane_group` accumulators in double.
struct LaneSums {
  double values[lane_group];
  KOKKOS_FUNCTION LaneSums() {
    for (int l = 0; l < lane_group; ++l) values[l] = 0;
  }
};

}  // namespace strata
