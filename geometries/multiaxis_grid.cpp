#include "geometries/multiaxis_grid.hpp"

#include "geometries/grid_rounding.hpp"

namespace strata {
namespace {

/// Smallest |cos(elevation)|, at least 0.1, in arithmetic of T.
template <class T>
T smallest_cosine(std::vector<double> const& elevations) {
  T result = 1;
  for (double const elevation : elevations) result = std::min(result, std::abs(std::cos(static_cast<T>(elevation))));
  return std::max(result, static_cast<T>(0.1));
}

int whole_floats(float ratio) {
  return static_cast<int>(std::floor(ratio));
}

}  // namespace

VolumeGrid automatic_multiaxis_grid(MultiAxisGridInput const& input, bool reference_mode) {
  VolumeGrid grid;
  grid.delta_voxel = input.delta_voxel > 0 ? input.delta_voxel : input.delta_det_channel;
  double const width = input.sinogram.num_det_channels * input.delta_det_channel;
  double const height = input.sinogram.num_det_rows * input.delta_det_row;
  double const row_pitch = input.voxel_row_aspect * grid.delta_voxel;
  double const slice_pitch = input.voxel_slice_aspect * grid.delta_voxel;
  if (reference_mode) {
    float const tall = 2 * (static_cast<float>(height / 2) / smallest_cosine<float>(input.elevations));
    grid.recon = {whole_floats(static_cast<float>(width / row_pitch)),
                  whole_floats(static_cast<float>(width / grid.delta_voxel)),
                  whole_floats(tall / static_cast<float>(slice_pitch))};
    return grid;
  }
  grid.recon = {cells_that_fit(width / row_pitch), cells_that_fit(width / grid.delta_voxel),
                cells_that_fit(height / smallest_cosine<double>(input.elevations) / slice_pitch)};
  return grid;
}

}  // namespace strata
