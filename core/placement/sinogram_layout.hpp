/// Which entries of a sinogram's shards are real.
#pragma once

#include "core/placement/slice_blocks.hpp"

namespace strata {

struct SinogramLayout {
  SliceBlocks rows;      ///< how detector rows are stored
  int num_channels = 0;  ///< real channels; shards may store more
};

}  // namespace strata
