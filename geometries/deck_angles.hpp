/// Per-view angles of a scan from a deck.
#pragma once

#include <string>
#include <vector>

#include "core/io/deck.hpp"

namespace strata {

/// Whether all angles may be equal: one angle of a multi-axis scan often is constant.
enum class EqualAngles { refused, allowed };

/// Angles in rad, one a view. The value at `key` is one of
///   {file: scan.h5, dataset: /angles, unit: rad}
///   {start: 0, stop: 360, count: 256, endpoint: false, unit: deg}
///   {values: [...], unit: deg}
/// `unit` (deg or rad) may be left out only where the dataset has a units attribute. `num_views` < 0: any number.
/// \throws InputError for anything else, a wrong number of angles, and angles that are not finite or, where refused,
/// all equal.
std::vector<double> read_angles(DeckSection const& geometry, std::string const& key, int num_views,
                                EqualAngles equal = EqualAngles::refused);

/// Factor from `unit` to rad. Known: deg, degree, degrees, rad, radian, radians. 0 for others.
double radians_per(std::string const& unit);

}  // namespace strata
