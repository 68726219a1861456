#include "core/solver/coarse_memory.hpp"

#include <algorithm>

#include "core/model/model_plan.hpp"
#include "core/solver/coarse_levels.hpp"
#include "core/solver/coarse_start.hpp"
#include "core/solver/objective.hpp"
#include "core/solver/vcd_memory.hpp"

namespace strata {
namespace {

/// Of one grid, on each device. A coarse scan has weights, and its sinogram becomes the error sinogram.
MemoryPlan level_plan(CoarseLevel const& level, Geometry const& fine, std::vector<bool> const& fine_mask,
                      Devices const& devices, VCDOptions const& options, CoarsePriorMemory const& prior) {
  auto const geometry = fine.coarsened(level.factor);
  auto const mask = coarse_mask(fine_mask, fine.params().recon, geometry->params().recon, level.factor);
  auto const inside = static_cast<Index>(std::count(mask.begin(), mask.end(), true));
  MemoryPlan plan = plan_model(*geometry, mask, devices);
  plan.add_sinogram("error sinogram and weights", 2);
  plan.add_volume("image and Hessian diagonal", 2);
  if (prior.volumes > 0) plan.add_volume("images of the prior", prior.volumes);
  Index const subsets = std::min<Index>(level.subsets, std::max<Index>(inside, 1));
  VCDMemory memory;
  memory.halos = prior.halos;
  memory.largest_subset = (inside + subsets - 1) / subsets;
  memory.list_entries = inside * std::min(CoarseLevel::partitions, level.passes);
  plan.begin_stage("starting");
  plan.add_pixel_lists("pixel lists of the subsets", memory.list_entries);
  plan.add_sinogram("projected sinogram");
  plan.begin_stage("iterating");
  plan_vcd(plan, memory, coarse_options(options));
  plan.end_stage();
  return plan;
}

Index volume_bytes(Geometry const& geometry, Devices const& devices) {
  auto const& shape = geometry.params().recon;
  SliceBlocks const blocks(shape.num_slices, devices->size());
  return shape.num_pixels() * blocks.per_shard * blocks.lanes * Index(sizeof(Real));
}

}  // namespace

void plan_coarse_grids(MemoryPlan& plan, Geometry const& geometry, std::vector<bool> const& mask,
                       VCDOptions const& options, CoarsePriorMemory const& prior) {
  Devices const& devices = plan.slices().devices();
  std::vector<Index> most(static_cast<std::size_t>(devices->size()), 0);
  Index before = 0;  // the image of the last grid
  auto const factors = coarse_factors(geometry);
  for (auto const& level : coarse_levels) {
    if (std::find(factors.begin(), factors.end(), level.factor) == factors.end()) continue;
    auto const bytes = level_plan(level, geometry, mask, devices, options, prior).device_bytes();
    for (std::size_t d = 0; d < most.size(); ++d) most[d] = std::max(most[d], bytes[d] + before);
    before = volume_bytes(*geometry.coarsened(level.factor), devices);
  }
  plan.add("volumes and sinograms of the coarse grids", most);
}

void plan_coarse_comparison(MemoryPlan& plan, Geometry const& geometry, CoarsePriorMemory const& prior) {
  plan.add_volume("direct image and its detail", 2);
  plan.add_sinogram("projected detail and error", 2);
  plan.add_on_each("direct image on the finest coarse grid",
                   volume_bytes(*geometry.coarsened(coarse_factors(geometry).back()), plan.slices().devices()));
  plan.add_on_each("sums of the objective", ObjectiveSums::bytes(plan.slices(), plan.views(), plan.layout().rows,
                                                                 plan.recon().num_pixels(), 1, prior.halos));
}

}  // namespace strata
