/// An image on another grid: where an iterative run begins may be a coarser or a finer image.
#pragma once

#include <array>
#include <vector>

#include "core/placement/sharded.hpp"
#include "core/solver/image_rows.hpp"

namespace strata {

/// Along one axis: value i is the sum over n of weights[i][n] times source value first[i] + n. The weights sum to 1.
struct AxisResampling {
  std::vector<int> first;
  std::vector<std::vector<float>> weights;
};

/// Target voxel i has its centre at (i - (targets - 1) / 2) * pitch_ratio + (sources - 1) / 2 in source voxels. A finer
/// target (pitch_ratio <= 1) is interpolated linearly; a coarser one gets means over what each of its voxels covers.
/// Beyond its ends the source goes on with its end values.
///   pitch_ratio  target pitch / source pitch, above 0
AxisResampling resample_axis(int sources, int targets, double pitch_ratio);

/// Target pitch / source pitch along row, col and slice when both grids cover the same box.
std::array<double, 3> same_extent(ReconShape const& source, ReconShape const& target);

/// target [row][col][slice] of `shape` = the resampled source. Grids of the same shape and ratio 1: the same values.
/// The result does not depend on the device count. Reads each source row once; keeps a few of them.
void resample_image(ImageRows const& source, std::array<double, 3> const& pitch_ratio, ReconShape const& shape,
                    ShardedVolume const& target);

}  // namespace strata
