/// The keys of the QGGMRF prior, the same in sections `reconstruction` and `denoise`.
#pragma once

#include "core/io/deck.hpp"
#include "prior/qggmrf.hpp"

namespace strata {

/// Reads p, q, T and qggmrf_nbr_wts (row, col, slice); `defaults` hold where they are not given. sigma_x of the result
/// is that of `defaults`, or 1. \throws InputError naming the key for a value out of range.
QGGMRFParams read_qggmrf(DeckSection const& section, QGGMRFParams const& defaults = {});

}  // namespace strata
