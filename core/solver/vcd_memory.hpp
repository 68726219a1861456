/// What iterative reconstruction allocates besides its volumes and sinograms.
#pragma once

#include "core/model/memory_plan.hpp"
#include "core/solver/vcd_types.hpp"

namespace strata {

struct VCDMemory {
  Index largest_subset = 0;  ///< entries
  Index list_entries = 0;    ///< of the pixel lists of all partitions together
  bool slice_mean_damping = false;
  bool halos = true;  ///< Prior::needs_halos()
};

/// Adds the arrays of VCDSolver, and those that `options` ask for, to the present stage of `plan`, for all devices.
void plan_vcd(MemoryPlan& plan, VCDMemory const& memory, VCDOptions const& options);

}  // namespace strata
