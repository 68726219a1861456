/// The automatic volume grid of translation tomosynthesis.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/model/shapes.hpp"

namespace strata {

/// Lengths in ALU.
struct TranslationGridInput {
  SinogramShape sinogram;
  double delta_det_channel = 1;
  double delta_det_row = 1;
  double source_detector_dist = 1;
  double source_iso_dist = 1;
  double delta_voxel = 0;                  ///< 0: the coarser detector pitch at the axis
  std::optional<double> voxel_row_aspect;  ///< nothing: from the depth resolution
  double voxel_slice_aspect = 1;
  std::vector<std::array<double, 3>> translation_vectors;  ///< [view] x, y, z
};

struct TranslationGrid {
  ReconShape recon;
  double delta_voxel = 1;
  double voxel_row_aspect = 1;
};

/// Columns and slices cover the translations; the pitch of rows (depth) is what the slope of the rays resolves, and
/// there are about twice as many rows as the data determine, at least one, as far as the source is away.
/// `reference_mode`: in float32, channel pitch with vertical slope and row pitch with horizontal slope, an aspect of 1
/// counts as not given, and there may be no row. Source: geometry.md 2.2.
TranslationGrid automatic_translation_grid(TranslationGridInput const& input, bool reference_mode);

}  // namespace strata
