/// The partition that denoising runs by default.
#pragma once

#include <vector>

#include "core/solver/pixel_partition.hpp"

namespace strata {

/// Subsets, in the order of visits, that come to the same as all white and then all black squares of a checkerboard,
/// whatever their size: no two pixels of a colour are neighbours. A subset is a colour in a band of rows; the blacks of
/// a band follow the whites of the band below it, while both are in the cache.
///   indices            pixels, increasing
///   pixels_per_subset  as many as whole rows allow
PixelPartition checkerboard_partition(std::vector<int> const& indices, int num_cols, int pixels_per_subset);

}  // namespace strata
