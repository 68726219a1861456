/// The automatic volume grid of parallel beams.
#pragma once

#include "core/model/shapes.hpp"

namespace strata {

/// Lengths in ALU.
struct ParallelGridInput {
  SinogramShape sinogram;
  double delta_det_channel = 1;
  double delta_det_row = 1;
  double delta_voxel = 0;  ///< 0: the detector's channel pitch
  double voxel_row_aspect = 1;
};

struct VolumeGrid {
  ReconShape recon;
  double delta_voxel = 1;
};

/// Rows and columns cover the width of the detector. By default there is one slice for each detector row, and a ratio
/// that is a whole number up to rounding counts as one. `reference_mode`: the reference's float32 arithmetic, and
/// slices from the row pitch, which the projector may refuse. Source: geometry.md 2.2.
VolumeGrid automatic_parallel_grid(ParallelGridInput const& input, bool reference_mode);

}  // namespace strata
