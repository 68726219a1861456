/// Multi-axis parallel beams as a Geometry: each view has an azimuth and an elevation (laminography among others); and
/// how a deck describes them.
#pragma once

#include <memory>
#include <vector>

#include "core/io/deck.hpp"
#include "core/model/geometry.hpp"

namespace strata {

/// Lengths in ALU, angles in rad.
struct MultiAxisScanParams {
  GeometryParams common;
  std::vector<double> azimuths;    ///< [view]
  std::vector<double> elevations;  ///< [view]
  bool reference_mode = false;
};

/// \throws InputError for impossible values.
std::shared_ptr<Geometry const> make_multiaxis_scan(MultiAxisScanParams const& params);

/// From section `geometry` of a deck. What is not given of recon_shape, delta_voxel and recon_slice_offset is
/// automatic.
std::shared_ptr<Geometry const> make_multiaxis_scan(DeckSection const& geometry, SinogramShape const& shape);

}  // namespace strata
