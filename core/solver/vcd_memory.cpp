#include "core/solver/vcd_memory.hpp"

#include <algorithm>

#include "core/solver/subset_kernels.hpp"
#include "core/solver/subset_sizes.hpp"
#include "core/solver/subspace_step.hpp"

namespace strata {
namespace {

/// Of SliceSums.
Index slice_sums_bytes(SliceBlocks const& blocks, Index quantities, Index entries) {
  Index const chunks = std::max<Index>(1, (entries + SliceSums::chunk - 1) / SliceSums::chunk);
  return (chunks + 1) * quantities * blocks.per_shard * blocks.lanes * Index(sizeof(double));
}

/// Of Halo: two slices towards each neighbour.
std::vector<Index> halo_bytes(Placement const& slices, Index num_pixels) {
  std::vector<Index> bytes;
  for (int d = 0; d < slices.num_devices(); ++d) {
    Range const own = slices.owned(d);
    int const neighbours = own.empty() ? 0 : (own.begin > 0 ? 1 : 0) + (own.end < slices.real_size() ? 1 : 0);
    bytes.push_back(2 * neighbours * num_pixels * Index(sizeof(Real)));
  }
  return bytes;
}

}  // namespace

void plan_vcd(MemoryPlan& plan, VCDMemory const& memory, VCDOptions const& options) {
  SliceBlocks const& blocks = plan.slices().blocks();
  SliceBlocks const& rows = plan.layout().rows;
  Index const subset = memory.largest_subset;
  int const devices = plan.slices().num_devices();
  plan.add_pixel_lists("pixel lists of the subsets", memory.list_entries);
  auto const sizes = [slices = plan.slices(), views = plan.views(), layout = plan.layout(),
                      pixels = plan.recon().num_pixels(), subset, options](Index most) {
    Index const bytes = options.max_exchange_bytes > 0 ? options.max_exchange_bytes : most;
    return SubsetSizes(slices, views, layout, pixels, subset, bytes, options.exchange_turns);
  };
  Index const arrays = 1 + (options.cells ? 2 : 0);  // direction, couplings
  plan.add_exchanged("subset gradient, curvature and direction", [sizes, devices, arrays](Index most) {
    SubsetSizes const found = sizes(most);
    return std::vector<Index>(devices, (found.work + arrays * found.own) * Index(sizeof(Real)));
  });
  plan.add_exchanged(devices > 1 ? "exchange of subsets" : "subset back projection", [sizes, devices](Index most) {
    SubsetSizes const found = sizes(most);
    std::vector<Index> bytes;
    for (int d = 0; d < devices; ++d) bytes.push_back((found.partial[d] + found.staging[d]) * Index(sizeof(Real)));
    return bytes;
  });
  plan.add("boundary slices", halo_bytes(plan.slices(), plan.recon().num_pixels()));
  Index const quantities = 4 + (memory.slice_mean_damping ? 2 : 0);
  plan.add_on_each("sums of slices", slice_sums_bytes(blocks, quantities, subset) +
                                         slice_sums_bytes(blocks, 1, plan.recon().num_pixels()));
  plan.add_on_each("sums of views",
                   plan.views().shard_size() * (rows.num_blocks() * rows.lanes + 1) * Index(sizeof(double)));
  bool const accelerated = options.acceleration != Acceleration::none;
  Index const pixels = plan.recon().num_pixels();
  if (accelerated || options.compute_objective)
    plan.add_on_each("sums of the objective",
                     ObjectiveSums::bytes(plan.slices(), plan.views(), rows, pixels,
                                          accelerated ? options.acceleration_directions + 1 : 0, memory.halos));
  if (!accelerated) return;
  if (options.positivity_flag) plan.add_on_each("mending negative voxels", SubspaceStep::mending_bytes(blocks, pixels));
  int const stored = options.acceleration_directions + 1;
  plan.add_volume("directions of the acceleration", stored);
  plan.add_sinogram("projected directions of the acceleration", stored);
}

}  // namespace strata
