/// What a TomographyModel will allocate, known before there is one.
#pragma once

#include "core/model/geometry.hpp"
#include "core/model/memory_plan.hpp"

namespace strata {

/// A plan with what a TomographyModel of `geometry` takes, for the whole run; without `projects` it never projects.
/// Callers add their arrays.
///   mask  [pixel]
MemoryPlan plan_model(Geometry const& geometry, std::vector<bool> const& mask, Devices const& devices,
                      bool projects = true);

/// The same of one more model on the devices of `plan`. `suffix`: of the arrays' names.
void plan_another_model(MemoryPlan& plan, Geometry const& geometry, std::vector<bool> const& mask,
                        std::string const& suffix, bool projects);

}  // namespace strata
