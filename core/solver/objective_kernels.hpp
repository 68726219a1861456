/// Kernels of ObjectiveSums. They only launch.
#pragma once

#include "core/model/prior.hpp"
#include "core/placement/memory.hpp"
#include "core/placement/sinogram_layout.hpp"

namespace strata {

/// Shards of one device with the same extents; plain pointers, because Views of all of them make a kernel too large.
struct SinogramPointers {
  Real const* error = nullptr;                    ///< w e
  Real const* weights = nullptr;                  ///< w; null: ones
  Real* projections[DirectionShards::most] = {};  ///< w A d_i
  int stored_channels = 0;
};

/// per_row[sum][view][row] = sums over the channels of e w e, e w A d_i and A d_i w A d_j, num_quadratic_sums(count) of
/// them, in double. Entries of weight 0 do not count. `subtract_error`: the first projection becomes itself - w e
/// first.
void sum_channels_along(ExecSpace const& exec, int count, int num_views, SinogramLayout const& layout,
                        SinogramPointers const& sinograms, bool subtract_error, Array3<double> const& per_row);

/// per_view[sum][view] = sum over the real rows, in their order.
void sum_rows_along(ExecSpace const& exec, int sums, int num_views, SliceBlocks const& rows,
                    Array3<double> const& per_row, Array2<double> const& per_view);

/// slices[sum][slice] = sum over the parts, in their order.
void add_parts(ExecSpace const& exec, int sums, Array3<double> const& parts, Array2<double> const& slices);

}  // namespace strata
