/// Per-view numbers and vectors of a scan from a deck.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/io/deck.hpp"

namespace strata {

/// One length (ALU) a view: {file: scan.h5, dataset: /NAME} or {values: [...]}; empty when `key` is absent. The dataset
/// is /key when not named. \throws InputError for anything else, a wrong number, and numbers that are not finite.
std::vector<double> read_view_lengths(DeckSection const& geometry, std::string const& key, int num_views);

/// One vector (x, y, z in ALU) a view: a dataset [view][3], or {values: [[x, y, z], ...]}. \throws as above, and when
/// `key` is absent.
std::vector<std::array<double, 3>> read_view_vectors(DeckSection const& geometry, std::string const& key,
                                                     int num_views);

/// A number, or [top, bottom]; each at least 0. Absent: zeros.
std::array<double, 2> read_pad_fraction(DeckSection const& geometry, std::string const& key);

}  // namespace strata
