#include "core/solver/vcd_reconstruction.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/solver/excess.hpp"
#include "core/solver/subspace_step.hpp"

namespace strata {
namespace {

std::vector<SubsetPlan> make_plans(TomographyModel const& model, VCDSchedule& schedule) {
  std::vector<SubsetPlan> plans;
  for (auto& partition : schedule.partitions) {
    plans.push_back(make_subset_plan(model, partition));
    partition = {};
  }
  return plans;
}

/// Numbers that single precision cannot hold end up here as infinities; better a sentence than an image of them.
void require_finite(IterationStats const& stats) {
  for (double const value : {stats.fm_rmse, stats.pct_change, stats.alpha, stats.prior_loss})
    require(std::isfinite(value), "iteration ", stats.iteration + 1,
            ": the image or the error is not finite any more: ",
            "line integrals, weights, sigmas or the initial image are beyond what single precision can hold");
}

}  // namespace

VCDReconstruction::VCDReconstruction(PreparedScan& scan, Prior const& prior, VCDOptions const& options,
                                     VCDSchedule schedule, Sinogram sinogram)
    : scan_(scan),
      prior_(prior),
      options_(options),
      first_iteration_(schedule.first_iteration),
      plans_(make_plans(scan.model(), schedule)),
      state_{scan.model().make_volume("recon"), scan.hessian_diagonal(),
             sinogram == Sinogram::kept ? scan.model().make_sinogram("weighted_error") : scan.take_sinogram(),
             scan.weights()} {
  passes_ = std::move(schedule.passes);
  if (sinogram == Sinogram::used_up) return;
  sinogram_ = scan.sinogram();
  state_.sinogram = sinogram_;
}

double VCDReconstruction::start_direct(RedundancyOptions const& direct) {
  return start(InitialImage::direct, direct);
}

void VCDReconstruction::start_given() {
  start(InitialImage::given, {});
}

double VCDReconstruction::start(InitialImage initial, RedundancyOptions const& direct) {
  TomographyModel const& model = scan_.model();
  ensure(sinogram_ || !solver_, "VCDReconstruction: a second start after the sinogram was used up");
  bool const positivity = options_.positivity_flag && !options_.reference_mode;
  ShardedSinogram const& y = sinogram_ ? *sinogram_ : state_.weighted_error;
  double const factor =
      start_from(model, initial, positivity,
                 {y, state_.weights, sinogram_ ? state_.weighted_error : model.make_sinogram("vcd::start"),
                  state_.recon, state_.weighted_error, !options_.reference_mode},
                 direct);
  if (!solver_)
    solver_ = std::make_unique<VCDSolver>(model, prior_, options_, state_, std::move(plans_));
  else
    solver_->restart();
  return factor;
}

std::vector<ShardedVolume> VCDReconstruction::earlier_steps() const {
  SubspaceStep const* const acceleration = solver_ ? solver_->acceleration() : nullptr;
  return acceleration ? acceleration->stored_steps() : std::vector<ShardedVolume>();
}

void VCDReconstruction::take_up_steps(int count, std::function<void(int, ShardedVolume const&)> const& fill) {
  SubspaceStep* const acceleration = solver_ ? solver_->acceleration() : nullptr;
  if (!acceleration) return;
  auto const steps = acceleration->offer_steps(count);
  for (std::size_t i = 0; i < steps.size(); ++i) fill(static_cast<int>(i), steps[i]);
  acceleration->take_up_steps(static_cast<int>(steps.size()), state_.weights);
}

VCDResult VCDReconstruction::iterate(VCDPasses const& passes,
                                     std::function<void(IterationStats const&)> const& observe) {
  ensure(solver_ != nullptr, "VCDReconstruction: iterate() before start_direct() or start_given()");
  int const planned = static_cast<int>(passes_.size());  // making them finer may add some
  int const count = passes.count >= 0 ? passes.count : std::max(planned - passes.first, 0);
  ensure(count == 0 || planned > 0, "VCDReconstruction: the schedule has no passes");
  VCDResult result;
  solver_->objective_changed();
  ExcessEstimate excess;
  for (double const objective : passes.earlier_objectives) excess.add(objective);
  for (int i = passes.first; i < passes.first + count && !result.converged; ++i) {
    VCDPass const& pass = passes_[std::min(i, static_cast<int>(passes_.size()) - 1)];
    result.history.push_back(solver_->iterate(first_iteration_ + i, pass.partition, pass.order));
    IterationStats& stats = result.history.back();
    require_finite(stats);
    excess.add(stats.objective);
    stats.excess_pct = excess.bound_pct().value_or(stats.excess_pct);
    result.converged =
        stats.pct_change < options_.stop_threshold_change_pct || excess.converged(options_.stop_excess_pct);
    stats.converged = result.converged;
    if (observe) observe(stats);
    bool const finest = stats.num_subsets == static_cast<int>(passes_.back().order.size());
    if (finest && stats.alpha < options_.finer_below_alpha && !result.converged) make_finer(i + 1);
  }
  return result;
}

/// Large subsets take short steps; where the mean step has become short, subsets of half the size pay.
void VCDReconstruction::make_finer(int first) {
  TomographyModel const& model = scan_.model();
  first = std::min(first, static_cast<int>(passes_.size()));
  FinerPasses finer = make_finer_passes(passes_, first, solver_->num_plans(), model.masked_pixels().host,
                                        options_.cells ? model.recon_shape().num_cols : 0);
  if (finer.passes.empty()) return;
  for (auto const& partition : finer.partitions) solver_->add_plan(make_subset_plan(model, partition));
  passes_.erase(passes_.begin() + first, passes_.end());
  std::move(finer.passes.begin(), finer.passes.end(), std::back_inserter(passes_));
  log::info("steps are short: ", passes_.back().order.size(), " subsets from now on");
}

}  // namespace strata
