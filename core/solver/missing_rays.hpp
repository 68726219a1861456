/// Values for rays that count nothing, so that a direct reconstruction does not smear them over the image.
#pragma once

#include "core/placement/sharded.hpp"
#include "core/placement/sinogram_layout.hpp"

namespace strata {

/// filled = y where weights are above 0; elsewhere between the nearest channels of the same detector row and view that
/// count, the nearer one at the ends, 0 where the whole row counts nothing. `filled` may not be `y`.
void fill_missing_rays(SinogramLayout const& layout, ShardedSinogram const& y, ShardedSinogram const& weights,
                       ShardedSinogram const& filled);

}  // namespace strata
