/// What a TomographyModel will allocate, known before there is one.
#pragma once

#include "core/model/geometry.hpp"
#include "core/model/memory_plan.hpp"

namespace strata {

/// What a model is made for: that decides whether devices exchange cylinders.
enum class Projections { none, forward, all };

/// A plan with what a TomographyModel of `geometry` takes, for the whole run. Callers add their arrays.
///   mask  [pixel]
MemoryPlan plan_model(Geometry const& geometry, std::vector<bool> const& mask, Devices const& devices,
                      Projections projections = Projections::all);

/// The same of one more model on the devices of `plan`. `suffix`: of the arrays' names.
void plan_another_model(MemoryPlan& plan, Geometry const& geometry, std::vector<bool> const& mask,
                        std::string const& suffix, Projections projections);

}  // namespace strata
