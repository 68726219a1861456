/// Host kernels compiled for parallel beams.
#include "geometries/host_kernels_fused.hpp"
#include "geometries/parallel_footprint.hpp"

namespace strata::host_tiles {

template struct Kernels<ParallelFootprint>;

}  // namespace strata::host_tiles
