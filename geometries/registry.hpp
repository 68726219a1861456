/// All geometries by name: one line each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/deck.hpp"
#include "core/model/geometry.hpp"

namespace strata {

/// The geometry that section `geometry` of a deck describes, for a sinogram of `shape`. Automatic values are recorded
/// in the deck. \throws InputError for an unknown type (naming the known ones) and impossible values.
std::shared_ptr<Geometry const> make_geometry(DeckSection const& geometry, SinogramShape const& shape);

/// Names of all geometries.
std::vector<std::string> geometry_names();

}  // namespace strata
