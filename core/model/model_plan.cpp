#include "core/model/model_plan.hpp"

#include <algorithm>

#include "core/placement/collect.hpp"
#include "core/placement/per_device.hpp"
#include "core/placement/sharded.hpp"

namespace strata {

MemoryPlan plan_model(Geometry const& geometry, std::vector<bool> const& mask, Devices const& devices,
                      Projections projections) {
  auto const& params = geometry.params();
  Placement const slices = Placement::of_slices(devices, params.recon.num_slices);
  MemoryPlan plan(slices, Placement::of_views(devices, params.sinogram.num_views),
                  {geometry.det_row_blocks(slices.blocks()), params.sinogram.num_det_channels}, params.recon);
  plan_another_model(plan, geometry, mask, "", projections);
  return plan;
}

void plan_another_model(MemoryPlan& plan, Geometry const& geometry, std::vector<bool> const& mask,
                        std::string const& suffix, Projections projections) {
  auto const& devices = plan.slices().devices();
  auto const inside = static_cast<Index>(std::count(mask.begin(), mask.end(), true));
  auto const pixels = static_cast<Index>(mask.size());
  plan.add_pixel_lists("pixel lists" + suffix, pixels + inside);
  plan.add_on_each("pixels outside the mask" + suffix, (pixels - inside) * Index(sizeof(int)));
  auto const projectors = per_local_device(*devices, [&](int d) {
    return geometry.projector_bytes(devices->exec(d), plan.views().owned(d), plan.slices().blocks());
  });
  plan.add("workspace of the projector" + suffix, collect_values(*devices, projectors));
  bool const read_in_place = projections == Projections::forward && volumes_are_whole(*devices);
  if (projections != Projections::none && !read_in_place) plan.add_exchange("buffers between devices" + suffix);
}

}  // namespace strata
