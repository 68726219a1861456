/// The automatic volume grid of cone beams.
#pragma once

#include <optional>
#include <vector>

#include "core/model/shapes.hpp"

namespace strata {

/// Lengths in ALU.
struct ConeGridInput {
  SinogramShape sinogram;
  double delta_det_channel = 1;
  double delta_det_row = 1;
  double det_channel_offset = 0;
  double det_row_offset = 0;
  double source_detector_dist = 1;  ///< may be infinite
  double source_iso_dist = 1;
  bool use_curved_detector = false;
  double delta_voxel = 0;  ///< 0: the channel pitch at the rotation axis
  double voxel_row_aspect = 1;
  double voxel_slice_aspect = 1;
  double z_shift_min = 0;  ///< of the helix
  double z_shift_max = 0;
  double pad_top = 0;  ///< fraction of what the rays reach beyond the first slices (first detector row) at the axis
  double pad_bottom = 0;
  bool elliptic_mask = true;  ///< use_ror_mask is true: corners do not count
};

struct ConeGrid {
  ReconShape recon;
  double delta_voxel = 1;
  double recon_slice_offset = 0;
};

/// 1 for an infinite source_detector_dist, else source_detector_dist / source_iso_dist.
double cone_magnification(double source_detector_dist, double source_iso_dist);

/// Rows and columns cover the circle that the fan sees on its wider side; slices what the detector sees at the axis,
/// with padding. The centre is that of the helix, moved by whole slices where the detector is displaced along its rows.
/// `reference_mode`: the reference's rules in float32. Source: geometry.md 2.2.
ConeGrid automatic_cone_grid(ConeGridInput const& input, bool reference_mode);

}  // namespace strata
