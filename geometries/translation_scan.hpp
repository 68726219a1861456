/// Translation tomosynthesis as a Geometry: the object is shifted, not turned; and how a deck describes it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/io/deck.hpp"
#include "core/model/geometry.hpp"

namespace strata {

/// Lengths in ALU.
struct TranslationScanParams {
  GeometryParams common;
  std::vector<std::array<double, 3>> translation_vectors;  ///< [view] x, y, z
  double source_detector_dist = 1;
  double source_iso_dist = 1;
  bool reference_mode = false;
};

/// \throws InputError for impossible values.
std::shared_ptr<Geometry const> make_translation_scan(TranslationScanParams params);

/// From section `geometry` of a deck. What is not given of recon_shape, delta_voxel and voxel_row_aspect is automatic.
std::shared_ptr<Geometry const> make_translation_scan(DeckSection const& geometry, SinogramShape const& shape);

}  // namespace strata
