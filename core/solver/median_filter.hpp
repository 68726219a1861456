/// The median of each voxel's surroundings: takes out single outliers, keeps edges.
#pragma once

#include "core/model/shapes.hpp"
#include "core/placement/sharded.hpp"

namespace strata {

/// output = median of the 3 x 3 x 3 voxels about each one of `image`; at the faces of the volume the outermost voxels
/// are repeated. The two must be different arrays of one placement. The device count does not change a bit. Source:
/// solver specification 5, median_filter3d.
void median_filter(ShardedVolume const& image, ReconShape const& shape, ShardedVolume const& output);

}  // namespace strata
