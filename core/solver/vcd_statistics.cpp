#include <cmath>
#include <numeric>

#include "core/solver/vcd_workspace.hpp"

namespace strata {

void VCDSolver::begin_statistics() {
  model_.devices().for_each(
      [&](int d, ExecSpace const& exec) { Kokkos::deep_copy(exec, work_->devices[d].change_sums.total(), 0.0); });
}

void VCDSolver::finish_statistics(IterationStats& stats) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  SinogramLayout const& layout = model_.sinogram_layout();
  double const size = static_cast<double>(model_.sinogram_shape().size());
  double const weighted = sum_of_weighted_squares(sums_, layout, state_.weighted_error, state_.weights);
  stats.fm_rmse = std::sqrt(weighted / (mean_weight_ * size)) / options_.sigma_y;
  stats.error_sino_rmse = std::sqrt(sum_of_squared_errors(sums_, layout, state_.weighted_error, state_.weights) / size);

  if (options_.compute_prior_loss && prior_.needs_halos()) halo_.exchange(state_.recon);
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    auto& work = work_->devices[d];
    absolute_sum(exec, {blocks, d}, state_.recon[d], work.recon_sum);
    Kokkos::deep_copy(exec, work_->host[d], work.change_sums.total());
    if (options_.compute_prior_loss) {
      VolumeShard const volume{model_.recon_shape(), blocks, d, state_.recon[d], halo_.below(d), halo_.above(d)};
      prior_.loss_per_slice(exec, volume, work.prior_loss);
      Kokkos::deep_copy(exec, work_->host_loss[d], work.prior_loss);
    }
  });
  model_.devices().fence("vcd: the host reads the statistics");
  auto const moved = strata::collect(model_.devices(), work_->host);
  auto const changes = slice_totals(blocks, moved, 0);
  double const change = std::accumulate(changes.begin(), changes.end(), 0.0);
  stats.delta_norm_per_slice = slice_totals(blocks, moved, 1);
  for (double& norm : stats.delta_norm_per_slice) norm = std::sqrt(norm);
  if (options_.compute_prior_loss) stats.prior_loss = slice_sum(model_.recon_placement(), work_->host_loss);
  stats.prior_loss /= static_cast<double>(model_.recon_shape().size());

  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    auto& work = work_->devices[d];
    Kokkos::deep_copy(exec, Kokkos::subview(work_->host[d], Kokkos::pair<int, int>(0, 1), Kokkos::ALL),
                      work.recon_sum.total());
  });
  model_.devices().fence("vcd: the host reads the sum of the image");
  auto const magnitudes = slice_totals(blocks, strata::collect(model_.devices(), work_->host), 0);
  double const magnitude = std::accumulate(magnitudes.begin(), magnitudes.end(), 0.0);
  stats.pct_change = magnitude > 0 ? 100 * change / magnitude : 0;
}

}  // namespace strata
