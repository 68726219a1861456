#include "core/solver/vcd_workspace.hpp"

#include <algorithm>

namespace strata {
namespace {

/// 1 - s for the lanes of a shard.
Array1<Real> undamped_factors(ExecSpace const& exec, SliceBlocks const& blocks, int shard,
                              std::vector<double> const& damping) {
  auto const factors = make_view<Array1<Real>>(exec, "strata::vcd::undamped", blocks.per_shard * blocks.lanes);
  auto const host = Kokkos::create_mirror(factors);
  for (int b = 0; b < blocks.per_shard; ++b)
    for (int lane = 0; lane < blocks.lanes; ++lane) {
      Range const slices = blocks.slices(shard * blocks.per_shard + b);
      host(b * blocks.lanes + lane) =
          lane < slices.size() ? static_cast<Real>(1 - damping[slices.begin + lane]) : Real(0);
    }
  Kokkos::deep_copy(exec, factors, host);
  exec.fence("strata::vcd: the host copy goes away");
  return factors;
}

}  // namespace

VCDSolver::Workspace::Workspace(TomographyModel const& model, int max_subset, VCDOptions const& options) {
  SliceBlocks const& blocks = model.recon_placement().blocks();
  bool const several = model.devices().size() > 1;
  Index const block = Index(max_subset) * blocks.lanes;
  for (int d = 0; d < model.devices().size(); ++d) {
    ExecSpace const& exec = model.devices().exec(d);
    own_blocks.push_back(blocks.blocks_of_shard(d));
    PerDevice work;
    work.partial = BandBuffer(exec, "vcd::partial", model.nodes().num_nodes(d) * blocks.num_blocks() * block);
    work.gradient = BandBuffer(exec, "vcd::gradient", blocks.per_shard * block);
    work.curvature = BandBuffer(exec, "vcd::curvature", blocks.per_shard * block);
    work.direction = BandBuffer(exec, "vcd::direction", blocks.per_shard * block);
    if (several) {
      // The sums of the nodes are read before the direction is gathered, and a direction is used up before the next
      // sums arrive: one buffer serves both.
      Index const sums = model.nodes().num_nodes() * blocks.per_shard * block;
      work.staging = BandBuffer(exec, "vcd::staging", std::max(sums, blocks.num_blocks() * block));
      work.gathered = work.staging;
    }
    int const pixels = static_cast<int>(model.recon_shape().num_pixels());
    work.step_sums = SliceSums(exec, blocks, 2, max_subset);
    work.change_sums = SliceSums(exec, blocks, 2, max_subset);
    work.recon_sum = SliceSums(exec, blocks, 1, pixels);
    work.host = decltype(work.host)("strata::vcd::host", 2, blocks.per_shard * blocks.lanes);
    if (!options.slice_mean_damping.empty()) {
      work.means = SliceSums(exec, blocks, 2, max_subset);
      work.undamped = undamped_factors(exec, blocks, d, options.slice_mean_damping);
    }
    if (options.compute_prior_loss) {
      work.prior_loss = make_view<Array1<double>>(exec, "strata::vcd::prior_loss", blocks.shard_size);
      work.host_loss = decltype(work.host_loss)("strata::vcd::host_loss", blocks.shard_size);
    }
    devices.push_back(work);
    pending.emplace_back();
  }
}

}  // namespace strata
