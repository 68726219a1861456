/// The automatic volume grid of multi-axis parallel beams.
#pragma once

#include <vector>

#include "core/model/shapes.hpp"
#include "geometries/parallel_grid.hpp"

namespace strata {

/// Lengths in ALU, angles in rad.
struct MultiAxisGridInput {
  SinogramShape sinogram;
  double delta_det_channel = 1;
  double delta_det_row = 1;
  double delta_voxel = 0;  ///< 0: the channel pitch
  double voxel_row_aspect = 1;
  double voxel_slice_aspect = 1;
  std::vector<double> elevations;  ///< [view]
};

/// As many whole voxels as fit the width, and the height at the smallest cosine of the elevations (at least 0.1); at
/// least one along each axis. `reference_mode`: the reference's float32 arithmetic. Source: geometry.md 2.2.
VolumeGrid automatic_multiaxis_grid(MultiAxisGridInput const& input, bool reference_mode);

}  // namespace strata
