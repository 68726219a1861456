/// GPU kernels compiled for parallel beams; on host builds they serve the tests.
#include "geometries/parallel_footprint.hpp"
#include "geometries/team_sweeps.hpp"

namespace strata::gpu_teams {

template struct Kernels<ParallelFootprint>;

}  // namespace strata::gpu_teams
