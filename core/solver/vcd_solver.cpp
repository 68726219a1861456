#include "core/solver/vcd_solver.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/placement/per_device.hpp"
#include "core/solver/cell_kernels.hpp"
#include "core/solver/subspace_step.hpp"
#include "core/solver/vcd_workspace.hpp"

namespace strata {
namespace {

int largest_subset(std::vector<SubsetPlan> const& plans) {
  int largest = 1;
  for (auto const& plan : plans) largest = std::max(largest, plan.max_size);
  return largest;
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
  ensure(!options.cells || (!options.reference_mode && options.slice_mean_damping.empty()),
         "VCDSolver: cells go neither with the reference's choices nor with damped means of slices");
  find_mean_weight();
  make_objective();
}

void VCDSolver::find_mean_weight() {
  if (!state_.weights) return;
  double const total = sum(sums_, model_.sinogram_layout(), *state_.weights);
  mean_weight_ = total / static_cast<double>(model_.sinogram_shape().size());
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

/// staging (or the only node, or back_projection()) = A'(w e) at the subset, after the pending step has been taken.
void VCDSolver::back_project_error(SubsetPlan::Subset const& subset) {
  if (work_->back_projects_in_chunks(subset.size())) return back_project_in_chunks(subset);
  if (work_->projection_pending) descend_pending();
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  auto const partials = per_local_device(model_.devices(), [&](int d) {
    return work_->devices[d].partial.cylinders(model_.nodes().num_nodes(d) * blocks.num_blocks(), subset.size(),
                                               blocks.lanes);
  });
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    model_.projector(d).descend_and_back_project(exec, work_->pending[d], weights(d), state_.weighted_error[d],
                                                 subset.pixels[d], partials[d]);
  });
  if (model_.nodes().trivial()) return;
  int const staged = model_.devices().share_memory() ? 1 : model_.nodes().num_nodes();
  auto const staging = per_local_device(model_.devices(), [&](int d) {
    return work_->devices[d].staging.cylinders(staged * blocks.per_shard, subset.size(), blocks.lanes);
  });
  model_.nodes().reduce(model_.devices(), blocks.num_blocks(), partials, work_->own_blocks, staging);
}

void VCDSolver::find_direction(SubsetPlan::Subset const& subset) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  bool const in_chunks = work_->back_projects_in_chunks(subset.size());
  DirectionRule const rule{as_real(fm_), options_.positivity_flag && !options_.reference_mode};
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    auto& work = work_->devices[d];
    auto const own = [&](BandBuffer const& buffer) {
      return buffer.cylinders(blocks.per_shard, subset.size(), blocks.lanes);
    };
    VolumeShard const volume{model_.recon_shape(), blocks, d, state_.recon[d], halo_.below(d), halo_.above(d)};
    Cylinders const gradient = work_->gradient(d, subset.size()), curvature = work_->curvature(d, subset.size());
    PlaneCouplings const couplings = prior_.couples_pixels() ? work_->couplings(d, subset.size()) : PlaneCouplings();
    if (couplings.next_row.size() > 0)
      prior_.gradient_curvature_and_couplings(exec, volume, subset.pixels[d], gradient, curvature, couplings);
    else
      prior_.gradient_and_curvature(exec, volume, subset.pixels[d], gradient, curvature);
    SubsetArrays arrays{subset.pixels[d].index,
                        in_chunks ? work_->back_projection(d, subset.size())
                                  : own(model_.nodes().trivial() ? work.partial : work.staging),
                        gradient,
                        curvature,
                        state_.hessian[d],
                        state_.recon[d],
                        own(work.direction)};
    if (work.undamped.extent(0) > 0) {
      subset_slice_means(exec, {blocks, d}, rule, arrays, work.means);
      arrays.undamped = work.undamped;
      arrays.means = work.means.total();
    }
    if (options_.cells)
      cell_direction(exec, {blocks, d}, rule, {*options_.cells, model_.recon_shape().num_cols}, arrays, couplings,
                     work.step_sums);
    else
      subset_direction(exec, {blocks, d}, rule, arrays, work.step_sums);
  });
  share_direction(subset);
}

/// Makes the direction, or its projection, known to all view owners.
void VCDSolver::share_direction(SubsetPlan::Subset const& subset) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  if (model_.devices().size() == 1) return;
  if (work_->projects_in_chunks(subset.size())) return project_in_chunks(subset);
  auto const shards = per_local_device(model_.devices(), [&](int d) {
    return work_->devices[d].direction.cylinders(blocks.per_shard, subset.size(), blocks.lanes);
  });
  auto const targets = per_local_device(model_.devices(), [&](int d) { return work_->gathered(d, subset.size()); });
  all_gather(model_.devices(), blocks, shards, targets);
}

VCDSolver::StepSums VCDSolver::measure_direction(SubsetPlan::Subset const& subset) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  work_->projection_pending = work_->projects_in_chunks(subset.size());
  if (!work_->projection_pending)
    for (int const d : model_.devices().local())
      work_->pending[d].direction = {
          {0, blocks.num_blocks()}, subset.pixels[d], Position::by_entry, work_->gathered(d, subset.size())};
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    if (work_->projection_pending)
      model_.projector(d).projection_curvature(exec, work_->projection(d), weights(d), sums_.per_view(d));
    else
      model_.projector(d).curvature(exec, work_->pending[d].direction, weights(d), sums_.per_view(d));
    Kokkos::deep_copy(exec, work_->host[d], work_->devices[d].step_sums.total());
  });
  StepSums sums;
  sums.data_curvature = sums_.total();
  auto const all = strata::collect(model_.devices(), work_->host);
  for (double const value : slice_totals(blocks, all, 0)) sums.descent += value;
  for (double const value : slice_totals(blocks, all, 1)) sums.prior_curvature += value;
  return sums;
}

double VCDSolver::step_length(StepSums const& sums) const {
  double const curvature = fm_ * sums.data_curvature + sums.prior_curvature;
  if (options_.reference_mode) {
    constexpr double eps = std::numeric_limits<float>::epsilon();
    return std::min(std::max(sums.descent / (curvature + eps), eps), options_.max_alpha);
  }
  // Beyond single precision: a step of 0 would look like convergence.
  if (!std::isfinite(sums.descent) || !std::isfinite(curvature)) return std::numeric_limits<double>::quiet_NaN();
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
  if (clip) share_direction(subset);
}

/// Takes the pending step by itself; afterwards none is pending.
void VCDSolver::descend_pending() {
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    auto const& pending = work_->pending[d];
    if (work_->projection_pending)
      model_.projector(d).subtract_projection(exec, work_->projection(d), pending.alpha, weights(d),
                                              state_.weighted_error[d]);
    else if (pending.direction.pixels.size() > 0)
      model_.projector(d).descend(exec, pending, weights(d), state_.weighted_error[d]);
  });
  work_->forget_pending();
}

void VCDSolver::finish_pending() {
  descend_pending();
  model_.devices().fence("vcd: the error sinogram is summed next");
}

void VCDSolver::restart() {
  find_mean_weight();
  if (acceleration_) acceleration_->restart();
  work_->forget_pending();
}

}  // namespace strata
