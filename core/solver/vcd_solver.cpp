#include "core/solver/vcd_solver.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <chrono>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/solver/subspace_step.hpp"
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

}  // namespace

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
  make_objective();
}

ConstSinogram VCDSolver::weights(int device) const {
  return state_.weights ? ConstSinogram((*state_.weights)[device]) : ConstSinogram();
}

int VCDSolver::add_plan(SubsetPlan plan) {
  ensure(plan.max_size <= largest_subset(plans_), "VCDSolver: subsets of ", plan.max_size, " pixels are too large");
  plans_.push_back(std::move(plan));
  return static_cast<int>(plans_.size()) - 1;
}

IterationStats VCDSolver::iterate(int iteration, int plan, std::vector<int> const& order) {
  Kokkos::Profiling::ScopedRegion const region("strata::vcd::iteration");
  auto const start = std::chrono::steady_clock::now();
  IterationStats stats;
  stats.iteration = iteration;
  stats.num_subsets = static_cast<int>(order.size());
  begin_statistics();
  begin_acceleration();
  if (prior_.needs_halos()) halo_.exchange(state_.recon);
  double alpha_sum = 0;
  for (int const subset : order) {
    if (options_.interrupt_within_pass) check_interrupt();
    update(plans_[plan].subsets[subset], alpha_sum);
  }
  finish_pending();
  stats.alpha = alpha_sum / static_cast<double>(order.size());
  finish_statistics(stats);
  finish_objective(stats);
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

void VCDSolver::restart() {
  if (acceleration_) acceleration_->restart();
  for (auto& pending : work_->pending) pending = {};
}

}  // namespace strata
