/// The keys of section `geometry` that all geometries share.
#pragma once

#include "core/io/deck.hpp"
#include "core/model/geometry.hpp"

namespace strata {

/// Reads detector pitches and offsets, voxel aspects and, where given, delta_voxel and recon_shape. What is not given
/// stays 0: the geometry fills it in and calls record_grid(). \throws InputError for impossible values.
GeometryParams read_common_geometry(DeckSection const& geometry, SinogramShape const& shape);

/// Enters the grid that is used into the resolved deck.
void record_grid(DeckSection const& geometry, GeometryParams const& params);

}  // namespace strata
