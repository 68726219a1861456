#include "core/solver/subspace_step.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/log.hpp"
#include "core/solver/subspace_kernels.hpp"
#include "core/solver/subspace_mending.hpp"

namespace strata {
namespace {

template <class S>
Index flat_size(S const& array, int device) {
  return static_cast<Index>(array[device].size());
}

/// The shards of one kind of array: volumes, or sinograms.
template <class S, class Pick>
FlatShards flat(S const& x, std::vector<ProjectedDirection const*> const& along, ProjectedDirection const& newest,
                Pick const& pick, int device) {
  FlatShards shards;
  shards.size = flat_size(x, device);
  shards.x = x[device].data();
  for (std::size_t i = 0; i < along.size(); ++i) shards.directions[i] = pick(*along[i])[device].data();
  shards.newest = pick(newest)[device].data();
  return shards;
}

ShardedVolume const& volume_of(ProjectedDirection const& direction) {
  return direction.volume;
}
ShardedSinogram const& projection_of(ProjectedDirection const& direction) {
  return direction.projection;
}

}  // namespace

SubspaceStep::SubspaceStep(TomographyModel const& model, Prior const& prior, SubspaceOptions options)
    : model_(model),
      options_(std::move(options)),
      sums_(model, prior, options_.sigma_y, options_.stored_directions + 1) {
  for (int i = 0; i <= options_.stored_directions; ++i) {
    arrays_.push_back({model.make_volume("subspace::direction"), model.make_sinogram("subspace::projection")});
    order_.push_back(i);
    noise_.push_back(0);
  }
  if (options_.positivity) mending_ = std::make_unique<Mending>(model);
}

SubspaceStep::~SubspaceStep() = default;

void SubspaceStep::restart() {
  stored_ = 0;
  passes_since_refresh_ = 0;
  drift_ = 0;
  objective_changed();
}

std::vector<ShardedVolume> SubspaceStep::stored_steps() const {
  return offer_steps(stored_);
}

std::vector<ShardedVolume> SubspaceStep::offer_steps(int count) const {
  std::vector<ShardedVolume> steps;
  for (int i = 1; i <= std::min(count, options_.stored_directions); ++i) steps.push_back(direction(i).volume);
  return steps;
}

void SubspaceStep::take_up_steps(int count, ShardedSinogram const* weights) {
  stored_ = count;
  project_stored(weights);
}

void SubspaceStep::begin(SubspaceArrays const& arrays) {
  copy(arrays.recon, direction(0).volume);
  copy(arrays.weighted_error, direction(0).projection);
}

SubspaceOutcome SubspaceStep::finish(SubspaceArrays const& arrays) {
  ProjectedDirection const& own = direction(0);
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    replace_by_difference(exec, flat_size(own.volume, d), arrays.recon[d].data(), own.volume[d].data());
  });
  std::vector<ProjectedDirection const*> along;
  for (int i = 0; i <= stored_; ++i) along.push_back(&direction(i));
  ObjectiveModel objective = sums_.measure(arrays.recon, arrays.weighted_error, arrays.weights, along, true);

  SubspaceOutcome outcome;
  outcome.objective = objective.value;
  ++passes_since_refresh_;
  noise_[order_[0]] = options_.rounding * options_.rounding * objective.data;
  // Cannot happen in exact arithmetic: the error has drifted from the image, and with it the stored steps.
  bool const risen = !(objective.value <= last_objective_ * (1 + 1e-6));
  last_objective_ = objective.value;
  if (risen) {
    stored_ = 0;
    objective_changed();
  } else if ((objective.count = usable_directions(objective)) > 0) {
    take_step(arrays, objective, minimise(objective, options_.eigenvalue_cut), outcome);
  }
  double const limit = options_.largest_drift * options_.largest_drift * objective.data;
  outcome.refreshed = risen || drift_ > limit || passes_since_refresh_ >= options_.refresh_every;
  if (outcome.refreshed) refresh(arrays);
  return outcome;
}

/// How many directions have projections that stand out of their noise. Without the pass's own one there is no step.
int SubspaceStep::usable_directions(ObjectiveModel const& objective) {
  double const limit = options_.largest_noise * options_.largest_noise;
  int count = 0;
  while (count < objective.count && noise_[order_[count]] <= limit * objective.data_curvature[count]) ++count;
  stored_ = std::max(count - 1, 0);
  return count;
}

/// Noise of the newest direction, which stands where the oldest was, and of the error after a step.
void SubspaceStep::account_for_noise(ObjectiveModel const& objective,
                                     std::array<double, ObjectiveModel::most> const& factors, bool mended) {
  double const own = noise_[order_[0]];
  double added = mended ? own : 0;
  for (int i = 0; i < objective.count; ++i) added += factors[i] * factors[i] * noise_[order_[i]];
  drift_ += added;
  noise_[order_[options_.stored_directions]] = added + (1 + 2 * factors[0]) * own;
}

/// The direction in `slot` of order_ becomes the newest stored one.
void SubspaceStep::store_newest(int slot) {
  std::rotate(order_.begin(), order_.begin() + slot, order_.begin() + slot + 1);
  // Now it stands first; the pass's own array, second, is free for the next pass: it goes to the front.
  if (slot > 0) std::swap(order_[0], order_[1]);
  stored_ = std::min(stored_ + 1, options_.stored_directions);
}

void SubspaceStep::take_step(SubspaceArrays const& arrays, ObjectiveModel const& objective,
                             std::array<double, ObjectiveModel::most> const& factors, SubspaceOutcome& outcome) {
  // The new step is kept where the oldest was, so that the pass's own one is at hand until the step is accepted.
  int const oldest = options_.stored_directions;
  ProjectedDirection const& newest = direction(oldest);
  std::vector<ProjectedDirection const*> along;
  for (int i = 0; i < objective.count; ++i) along.push_back(&direction(i));
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    advance(exec, objective.count, factors, Real(1), flat(arrays.recon, along, newest, volume_of, d));
    advance(exec, objective.count, factors, Real(-1), flat(arrays.weighted_error, along, newest, projection_of, d));
  });
  model_.devices().fence("subspace: the image has moved");
  outcome.decrease = promised_decrease(objective, factors);
  outcome.directions = outcome.decrease > 0 ? objective.count : 0;
  if (mending_ && outcome.directions > 0) mend_and_check(arrays, newest, objective.value, outcome);
  account_for_noise(objective, factors, outcome.mended_cylinders > 0);
  store_newest(oldest);
}

void SubspaceStep::mend_and_check(SubspaceArrays const& arrays, ProjectedDirection const& newest, double before,
                                  SubspaceOutcome& outcome) {
  if (!mending_->find_negative(arrays.recon)) return;
  // What mending projects is the difference of the errors before and after, so it is projected once.
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    add_to(exec, flat_size(arrays.weighted_error, d), arrays.weighted_error[d].data(), newest.projection[d].data());
  });
  outcome.mended_cylinders = mending_->mend(arrays, newest.volume);
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    subtract_from(exec, flat_size(arrays.weighted_error, d), arrays.weighted_error[d].data(),
                  newest.projection[d].data());
  });
  model_.devices().fence("subspace: negative voxels are mended");
  double const after = sums_.measure(arrays.recon, arrays.weighted_error, arrays.weights).value;
  outcome.decrease = before - after;
  if (after <= before) return;
  undo(arrays, newest);
  outcome.decrease = 0;
  outcome.undone = true;
}

/// Back to the end of the pass; the newest step is then the pass's own.
void SubspaceStep::undo(SubspaceArrays const& arrays, ProjectedDirection const& newest) {
  std::vector<ProjectedDirection const*> const along{&direction(0)};
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    retreat(exec, Real(1), true, flat(arrays.recon, along, newest, volume_of, d));
    retreat(exec, Real(-1), false, flat(arrays.weighted_error, along, newest, projection_of, d));
    Kokkos::deep_copy(exec, newest.volume[d], direction(0).volume[d]);
    Kokkos::deep_copy(exec, newest.projection[d], direction(0).projection[d]);
  });
  model_.devices().fence("subspace: the step is undone");
}

/// Error and stored projections as the image and the stored steps have them. The error alone anew would put what it had
/// drifted by into the next step.
void SubspaceStep::refresh(SubspaceArrays const& arrays) {
  passes_since_refresh_ = 0;
  drift_ = 0;
  if (options_.reload) {
    ShardedSinogram const& projection = direction(0).projection;
    options_.reload(arrays.weighted_error);
    model_.forward_project(arrays.recon, projection);
    weighted_residual(arrays.weighted_error, Real(1), projection, arrays.weights, arrays.weighted_error);
  }
  project_stored(arrays.weights);
}

void SubspaceStep::project_stored(ShardedSinogram const* weights) {
  for (int i = 1; i <= stored_; ++i) {
    ShardedSinogram const& projection = direction(i).projection;
    model_.forward_project(direction(i).volume, projection);
    if (weights) weighted_residual(projection, Real(0), projection, weights, projection);
    noise_[order_[i]] = 0;
  }
}

}  // namespace strata
