/// What a start on coarse grids allocates.
#pragma once

#include "core/model/geometry.hpp"
#include "core/model/memory_plan.hpp"
#include "core/solver/vcd_types.hpp"

namespace strata {

/// What the prior asks for on coarse grids.
struct CoarsePriorMemory {
  int volumes = 0;    ///< that it keeps on each of them
  bool halos = true;  ///< Prior::needs_halos()
};

/// Adds to the present stage of `plan` what the grids of coarse_start() take, one after the other. `options` are those
/// of the fine grid, `mask` its region.
void plan_coarse_grids(MemoryPlan& plan, Geometry const& geometry, std::vector<bool> const& mask,
                       VCDOptions const& options, CoarsePriorMemory const& prior = {});

/// Adds what coarse_start() takes afterwards, while it compares with the direct reconstruction.
void plan_coarse_comparison(MemoryPlan& plan, Geometry const& geometry, CoarsePriorMemory const& prior = {});

}  // namespace strata
