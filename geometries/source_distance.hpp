/// Whether a volume stays clear of the X-ray source.
#pragma once

#include "core/io/deck.hpp"
#include "core/model/geometry.hpp"

namespace strata {

/// Distance from the axis to the farthest corner of any voxel of the plane, or, with `elliptic_mask`, of any voxel
/// inside the region of reconstruction (`use_ror_mask: true`). ALU.
double support_radius(GeometryParams const& params, bool elliptic_mask);

/// Refuses a volume that reaches the source: `reach` is how far it comes towards the source, `distance` how far that is
/// from the axis. `reference_mode`: a warning alone. \throws InputError at geometry.recon_shape.
void require_clear_of_source(DeckSection const& geometry, double reach, double distance, bool reference_mode);

/// The common distances: source_detector_dist (may be `.inf`) and source_iso_dist, both > 0, the detector not nearer
/// than the axis.
struct SourceDistances {
  double source_detector_dist = 1;
  double source_iso_dist = 1;
};
SourceDistances read_source_distances(DeckSection const& geometry, bool infinity_allowed);

/// True when `use_ror_mask` is true, given or by `fallback`.
bool has_elliptic_mask(DeckSection const& geometry, bool fallback);

}  // namespace strata
