#include "core/solver/vcd_solver.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/solver/vcd_workspace.hpp"

namespace strata {
namespace {

int largest_subset(std::vector<SubsetPlan> const& plans) {
  int largest = 1;
  for (auto const& plan : plans) largest = std::max(largest, plan.max_size);
  return largest;
}

Real as_real(double value) {
  return static_cast<Real>(value);
}

/// 1 - s for the lanes of a shard.
Array1<Real> undamped_factors(ExecSpace const& exec, SliceBlocks const& blocks, int shard,
                              std::vector<double> const& damping) {
  auto const factors = make_view<Array1<Real>>(exec, "strata::vcd::undamped", blocks.per_shard * blocks.lanes);
  auto const host = Kokkos::create_mirror(factors);
  for (int b = 0; b < blocks.per_shard; ++b)
    for (int lane = 0; lane < blocks.lanes; ++lane) {
      Range const slices = blocks.slices(shard * blocks.per_shard + b);
      host(b * blocks.lanes + lane) = lane < slices.size() ? as_real(1 - damping[slices.begin + lane]) : Real(0);
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
      work.staging = BandBuffer(exec, "vcd::staging", model.nodes().num_nodes() * blocks.per_shard * block);
      work.gathered = BandBuffer(exec, "vcd::gathered", blocks.num_blocks() * block);
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

template <class Pick>
std::vector<double> VCDSolver::Workspace::per_slice(TomographyModel const& model, int quantity,
                                                    Pick const& pick) const {
  auto const& blocks = model.recon_placement().blocks();
  std::vector<double> values(blocks.num_slices);
  for (int d = 0; d < static_cast<int>(devices.size()); ++d)
    for (int b = 0; b < blocks.per_shard; ++b) {
      Range const slices = blocks.slices(own_blocks[d].begin + b);
      for (int k = slices.begin; k < slices.end; ++k)
        values[k] = pick(devices[d])(quantity, b * blocks.lanes + k - slices.begin);
    }
  return values;
}

VCDSolver::VCDSolver(TomographyModel const& model, Prior const& prior, VCDOptions const& options, VCDState const& state,
                     std::vector<SubsetPlan> plans)
    : model_(model),
      prior_(prior),
      options_(options),
      state_(state),
      plans_(std::move(plans)),
      fm_(1 / (options.sigma_y * options.sigma_y)),
      halo_(model.recon_placement(), model.recon_shape().num_pixels()),
      sums_(model.sino_placement(), model.sinogram_layout().rows),
      work_(std::make_unique<Workspace>(model, largest_subset(plans_), options)) {
  if (state_.weights)
    mean_weight_ =
        sum(sums_, model_.sinogram_layout(), *state_.weights) / static_cast<double>(model_.sinogram_shape().size());
}

VCDSolver::~VCDSolver() = default;

ConstSinogram VCDSolver::weights(int device) const {
  return state_.weights ? ConstSinogram((*state_.weights)[device]) : ConstSinogram();
}

IterationStats VCDSolver::iterate(int iteration, int plan, std::vector<int> const& order) {
  Kokkos::Profiling::ScopedRegion const region("strata::vcd::iteration");
  auto const start = std::chrono::steady_clock::now();
  IterationStats stats;
  stats.iteration = iteration;
  stats.num_subsets = static_cast<int>(order.size());
  model_.devices().for_each(
      [&](int d, ExecSpace const& exec) { Kokkos::deep_copy(exec, work_->devices[d].change_sums.total(), 0.0); });
  if (prior_.needs_halos()) halo_.exchange(state_.recon);
  double alpha_sum = 0;
  for (int const subset : order) {
    if (options_.interrupt_within_pass) check_interrupt();
    update(plans_[plan].subsets[subset], alpha_sum);
  }
  finish_pending();
  stats.alpha = alpha_sum / static_cast<double>(order.size());
  finish_statistics(stats);
  stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return stats;
}

void VCDSolver::update(SubsetPlan::Subset const& subset, double& alpha_sum) {
  if (subset.size() == 0) return;
  if (!subset.repeated.empty() && prior_.needs_halos()) halo_.refresh(state_.recon, subset.repeated);
  back_project_error(subset);
  find_direction(subset);
  double const alpha = step_length(measure_direction(subset));
  alpha_sum += alpha;
  take_step(subset, alpha);
}

/// staging (or the only node) = A'(w e) at the subset, after the pending step has been taken.
void VCDSolver::back_project_error(SubsetPlan::Subset const& subset) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  std::vector<Cylinders> partials, staging;
  for (int d = 0; d < model_.devices().size(); ++d)
    partials.push_back(work_->devices[d].partial.cylinders(model_.nodes().num_nodes(d) * blocks.num_blocks(),
                                                           subset.size(), blocks.lanes));
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    model_.projector(d).descend_and_back_project(exec, work_->pending[d], weights(d), state_.weighted_error[d],
                                                 subset.pixels[d], partials[d]);
  });
  if (model_.nodes().trivial()) return;
  for (auto const& work : work_->devices)
    staging.push_back(
        work.staging.cylinders(model_.nodes().num_nodes() * blocks.per_shard, subset.size(), blocks.lanes));
  model_.nodes().reduce(model_.devices(), blocks.num_blocks(), partials, work_->own_blocks, staging);
}

void VCDSolver::find_direction(SubsetPlan::Subset const& subset) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  DirectionRule const rule{as_real(fm_), options_.positivity_flag && !options_.reference_mode};
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    auto& work = work_->devices[d];
    auto const own = [&](BandBuffer const& buffer) {
      return buffer.cylinders(blocks.per_shard, subset.size(), blocks.lanes);
    };
    VolumeShard const volume{model_.recon_shape(), blocks, d, state_.recon[d], halo_.below(d), halo_.above(d)};
    prior_.gradient_and_curvature(exec, volume, subset.pixels[d], own(work.gradient), own(work.curvature));
    SubsetArrays arrays{subset.pixels[d],   own(model_.nodes().trivial() ? work.partial : work.staging),
                        own(work.gradient), own(work.curvature),
                        state_.hessian[d],  state_.recon[d],
                        own(work.direction)};
    if (work.undamped.extent(0) > 0) {
      subset_slice_means(exec, {blocks, d}, rule, arrays, work.means);
      arrays.undamped = work.undamped;
      arrays.means = work.means.total();
    }
    subset_direction(exec, {blocks, d}, rule, arrays, work.step_sums);
  });
  share_direction(subset.size());
}

/// Makes the direction known to all view owners.
void VCDSolver::share_direction(int entries) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  if (model_.devices().size() == 1) return;
  std::vector<Cylinders> shards, targets;
  for (auto const& work : work_->devices) {
    shards.push_back(work.direction.cylinders(blocks.per_shard, entries, blocks.lanes));
    targets.push_back(work.gathered.cylinders(blocks.num_blocks(), entries, blocks.lanes));
  }
  all_gather(model_.devices(), blocks, shards, targets);
}

VCDSolver::StepSums VCDSolver::measure_direction(SubsetPlan::Subset const& subset) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  bool const several = model_.devices().size() > 1;
  for (int d = 0; d < model_.devices().size(); ++d) {
    auto const& buffer = several ? work_->devices[d].gathered : work_->devices[d].direction;
    work_->pending[d].direction = {{0, blocks.num_blocks()},
                                   subset.pixels[d],
                                   Position::by_entry,
                                   buffer.cylinders(blocks.num_blocks(), subset.size(), blocks.lanes)};
  }
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    model_.projector(d).curvature(exec, work_->pending[d].direction, weights(d), sums_.per_view(d));
    Kokkos::deep_copy(exec, work_->devices[d].host, work_->devices[d].step_sums.total());
  });
  StepSums sums;
  sums.data_curvature = sums_.total();
  auto const host = [](auto const& work) { return work.host; };
  for (double const value : work_->per_slice(model_, 0, host)) sums.descent += value;
  for (double const value : work_->per_slice(model_, 1, host)) sums.prior_curvature += value;
  return sums;
}

double VCDSolver::step_length(StepSums const& sums) const {
  double const curvature = fm_ * sums.data_curvature + sums.prior_curvature;
  if (options_.reference_mode) {
    constexpr double eps = std::numeric_limits<float>::epsilon();
    return std::min(std::max(sums.descent / (curvature + eps), eps), options_.max_alpha);
  }
  if (!(sums.descent > 0) || !(curvature > 0)) return 0;
  double const largest = options_.positivity_flag ? std::min(1.0, options_.max_alpha) : options_.max_alpha;
  return std::min(sums.descent / curvature, largest);
}

void VCDSolver::take_step(SubsetPlan::Subset const& subset, double alpha) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  bool const clip = options_.positivity_flag && options_.reference_mode;
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    auto const& work = work_->devices[d];
    auto const direction = work.direction.cylinders(blocks.per_shard, subset.size(), blocks.lanes);
    if (clip) clip_direction_for_step(exec, subset.pixels[d], state_.recon[d], as_real(alpha), direction);
    apply_step(exec, {blocks, d}, subset.pixels[d], as_real(alpha), direction, state_.recon[d], work.change_sums);
    work_->pending[d].alpha = as_real(alpha);
    work_->pending[d].measured = !clip;
  });
  if (clip) share_direction(subset.size());
}

void VCDSolver::finish_pending() {
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    auto& pending = work_->pending[d];
    if (pending.direction.pixels.size() > 0)
      model_.projector(d).descend(exec, pending, weights(d), state_.weighted_error[d]);
  });
  model_.devices().fence("vcd: the error sinogram is summed next");
  for (auto& pending : work_->pending) pending = {};
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
    Kokkos::deep_copy(exec, work.host, work.change_sums.total());
    if (options_.compute_prior_loss) {
      VolumeShard const volume{model_.recon_shape(), blocks, d, state_.recon[d], halo_.below(d), halo_.above(d)};
      prior_.loss_per_slice(exec, volume, work.prior_loss);
      Kokkos::deep_copy(exec, work.host_loss, work.prior_loss);
    }
  });
  model_.devices().fence("vcd: the host reads the statistics");
  auto const host = [](auto const& work) { return work.host; };
  auto const changes = work_->per_slice(model_, 0, host);
  double const change = std::accumulate(changes.begin(), changes.end(), 0.0);
  stats.delta_norm_per_slice = work_->per_slice(model_, 1, host);
  for (double& norm : stats.delta_norm_per_slice) norm = std::sqrt(norm);
  for (int d = 0; d < model_.devices().size(); ++d)
    for (int k = 0; options_.compute_prior_loss && k < model_.recon_placement().owned(d).size(); ++k)
      stats.prior_loss += work_->devices[d].host_loss(k);
  stats.prior_loss /= static_cast<double>(model_.recon_shape().size());

  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    auto& work = work_->devices[d];
    Kokkos::deep_copy(exec, Kokkos::subview(work.host, Kokkos::pair<int, int>(0, 1), Kokkos::ALL),
                      work.recon_sum.total());
  });
  model_.devices().fence("vcd: the host reads the sum of the image");
  auto const magnitudes = work_->per_slice(model_, 0, host);
  double const magnitude = std::accumulate(magnitudes.begin(), magnitudes.end(), 0.0);
  stats.pct_change = magnitude > 0 ? 100 * change / magnitude : 0;
}

}  // namespace strata
