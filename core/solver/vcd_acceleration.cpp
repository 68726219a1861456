#include "core/solver/subspace_step.hpp"
#include "core/solver/vcd_workspace.hpp"

namespace strata {
namespace {

SubspaceOptions subspace_options(VCDOptions const& options, std::optional<ShardedSinogram> const& sinogram) {
  SubspaceOptions subspace;
  subspace.sigma_y = options.sigma_y;
  subspace.positivity = options.positivity_flag;
  subspace.stored_directions = options.acceleration_directions;
  if (sinogram) subspace.reload = [kept = *sinogram](ShardedSinogram const& y) { copy(kept, y); };
  return subspace;
}

}  // namespace

VCDSolver::~VCDSolver() = default;

void VCDSolver::make_objective() {
  ensure(options_.acceleration == Acceleration::none || !options_.reference_mode,
         "VCDSolver: the reference has no acceleration");
  if (options_.acceleration == Acceleration::subspace)
    acceleration_ = std::make_unique<SubspaceStep>(model_, prior_, subspace_options(options_, state_.sinogram));
  else if (options_.compute_objective)
    objective_ = std::make_unique<ObjectiveSums>(model_, prior_, options_.sigma_y, 0);
}

void VCDSolver::objective_changed() {
  if (acceleration_) acceleration_->objective_changed();
}

void VCDSolver::begin_acceleration() {
  if (acceleration_) acceleration_->begin({state_.recon, state_.weighted_error, state_.weights});
}

void VCDSolver::finish_objective(IterationStats& stats) {
  if (acceleration_) {
    SubspaceOutcome const outcome = acceleration_->finish({state_.recon, state_.weighted_error, state_.weights});
    stats.objective = outcome.objective;
    stats.subspace_directions = outcome.directions;
    stats.mended_cylinders = outcome.mended_cylinders;
  } else if (objective_) {
    stats.objective = objective_->measure(state_.recon, state_.weighted_error, state_.weights).value;
  }
}

}  // namespace strata
