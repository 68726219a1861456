/// Parallel beams as a Geometry, and how a deck describes them.
#pragma once

#include <memory>
#include <vector>

#include "core/io/deck.hpp"
#include "core/model/geometry.hpp"

namespace strata {

/// Angles in rad, one a view. `reference_mode`: no redundancy weights. \throws InputError for impossible values.
std::shared_ptr<Geometry const> make_parallel_scan(GeometryParams const& params, std::vector<double> const& angles,
                                                   bool reference_mode = false);

/// From section `geometry` of a deck. Without recon_shape and delta_voxel the automatic grid is used.
std::shared_ptr<Geometry const> make_parallel_scan(DeckSection const& geometry, SinogramShape const& shape);

}  // namespace strata
