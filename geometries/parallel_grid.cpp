#include "geometries/parallel_grid.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace strata {
namespace {

/// Smallest whole number that is not below `ratio`.
int cells_to_cover(double ratio, bool reference_mode) {
  require(ratio < 0x1p30, "parallel beam: the automatic volume would have ", ratio,
          " voxels along an axis, expected less than 2^30; give a larger delta_voxel, or recon_shape");
  if (reference_mode) return static_cast<int>(std::ceil(static_cast<float>(ratio)));
  constexpr double tolerance = 1e-6;
  return std::max(1, static_cast<int>(std::ceil(ratio - tolerance)));
}

}  // namespace

VolumeGrid automatic_parallel_grid(ParallelGridInput const& input, bool reference_mode) {
  VolumeGrid grid;
  grid.delta_voxel = input.delta_voxel > 0 ? input.delta_voxel : input.delta_det_channel;
  double const width = input.sinogram.num_det_channels * input.delta_det_channel;
  grid.recon.num_rows = cells_to_cover(width / (input.voxel_row_aspect * grid.delta_voxel), reference_mode);
  grid.recon.num_cols = cells_to_cover(width / grid.delta_voxel, reference_mode);
  grid.recon.num_slices = input.sinogram.num_det_rows;
  if (reference_mode)
    grid.recon.num_slices = static_cast<int>(
        std::nearbyint(static_cast<float>(input.sinogram.num_det_rows * input.delta_det_row / grid.delta_voxel)));
  return grid;
}

}  // namespace strata
