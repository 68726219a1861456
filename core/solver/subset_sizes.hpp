/// How large the arrays are that subset updates of VCD need on each device.
#pragma once

#include <vector>

#include "core/placement/placement.hpp"
#include "core/placement/sinogram_layout.hpp"

namespace strata {

/// Several devices exchange subsets that are large against the volume in chunks, so that what all devices take together
/// does not grow with their number. All sizes are in values.
struct SubsetSizes {
  /// `num_pixels` of the plane, `largest` entries of the largest subset. `max_bytes` bounds what the fullest device
  /// takes to exchange a subset; 0: an eighth of its part of the volume. `turns` as in ExchangePlan. Results depend on
  /// neither. Goes over all devices, as ExchangePlan does.
  SubsetSizes(Placement const& slices, Placement const& views, SinogramLayout const& layout, Index num_pixels,
              Index largest, Index max_bytes = 0, int turns = 0);

  int chunk = 0;   ///< entries that are exchanged at a time
  int turns = 1;   ///< 2: one chunk is moved while another one is projected, each has a place in partial or staging
  int whole = 0;   ///< directions of at most so many entries are gathered whole: there the order matters
  Index own = 0;   ///< an array of the largest subset, own blocks
  Index work = 0;  ///< gradient, curvature, with chunks back projection; later the direction, all blocks, or
                   ///< its projection
  std::vector<Index> partial;  ///< [device] back projection of a chunk by the device's nodes, all blocks; each turn
  std::vector<Index> staging;  ///< [device] that of all nodes, own blocks; later the direction, all blocks, each turn
};

}  // namespace strata
