/// From lengths to whole numbers of voxels.
#pragma once

#include <algorithm>
#include <cmath>

namespace strata {

/// Ratios this close to a whole number count as one: they differ by rounding of the deck's decimals.
inline constexpr double whole_tolerance = 1e-6;

/// Fewest voxels that cover `ratio` voxel pitches, at least one.
inline int cells_to_cover(double ratio) {
  return std::max(1, static_cast<int>(std::ceil(ratio - whole_tolerance)));
}

/// Most voxels that fit into `ratio` voxel pitches, at least one.
inline int cells_that_fit(double ratio) {
  return std::max(1, static_cast<int>(std::floor(ratio + whole_tolerance)));
}

}  // namespace strata
