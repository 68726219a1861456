#include "core/solver/vcd_workspace.hpp"

#include "core/placement/per_device.hpp"

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

VCDSolver::Workspace::Workspace(TomographyModel const& model, int max_subset, VCDOptions const& options)
    : sizes(model.recon_placement(), model.sino_placement(), model.sinogram_layout(), model.recon_shape().num_pixels(),
            max_subset, options.max_exchange_bytes, options.exchange_turns),
      blocks_(model.recon_placement().blocks()),
      layout_(model.sinogram_layout()),
      num_views_(model.sino_placement().shard_size()) {
  SliceBlocks const& blocks = blocks_;
  own_blocks = per_local_device(model.devices(), [&](int d) { return blocks.blocks_of_shard(d); });
  pending.resize(own_blocks.size());
  host = make_host_arrays<HostSliceTotals>(model.devices(), "strata::vcd::host", 2, blocks.per_shard * blocks.lanes);
  if (options.compute_prior_loss)
    host_loss =
        make_host_arrays<decltype(host_loss)::value_type>(model.devices(), "strata::vcd::host_loss", blocks.shard_size);
  devices = per_local_device(model.devices(), [&](int d) {
    ExecSpace const& exec = model.devices().exec(d);
    PerDevice work;
    work.partial = BandBuffer(exec, "vcd::partial", sizes.partial[d]);
    work.work = BandBuffer(exec, "vcd::work", sizes.work);
    work.direction = BandBuffer(exec, "vcd::direction", sizes.own);
    if (options.cells) work.couplings = BandBuffer(exec, "vcd::couplings", 2 * sizes.own);
    // The sums of the nodes are read before the direction is gathered, and a direction is used up before the next sums
    // arrive: one buffer serves both.
    if (sizes.staging[d] > 0) work.staging = BandBuffer(exec, "vcd::staging", sizes.staging[d]);
    int const pixels = static_cast<int>(model.recon_shape().num_pixels());
    work.step_sums = SliceSums(exec, blocks, 2, max_subset);
    work.change_sums = SliceSums(exec, blocks, 2, max_subset);
    work.recon_sum = SliceSums(exec, blocks, 1, pixels);
    if (!options.slice_mean_damping.empty()) {
      work.means = SliceSums(exec, blocks, 2, max_subset);
      work.undamped = undamped_factors(exec, blocks, d, options.slice_mean_damping);
    }
    if (options.compute_prior_loss)
      work.prior_loss = make_view<Array1<double>>(exec, "strata::vcd::prior_loss", blocks.shard_size);
    return work;
  });
}

Sinogram VCDSolver::Workspace::projection(int device) const {
  return devices[device].work.sinogram(num_views_, layout_.rows.num_blocks(),
                                       stored_channels(layout_.num_channels, layout_.rows.lanes), layout_.rows.lanes);
}

}  // namespace strata
