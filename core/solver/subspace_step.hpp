/// A step after each pass of VCD: the objective is minimised over the plane (or space) that the pass's own step and the
/// steps before it span. It needs no projection, because the error sinogram tells what each step projects to.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/solver/objective.hpp"

namespace strata {

struct SubspaceOptions {
  double sigma_y = 1;
  bool positivity = false;
  int stored_directions = 1;  ///< 1 or 2
  double eigenvalue_cut = 1e-6;
  double rounding = 3e-7;       ///< of the projection of a pass's own step, as a part of the error: its noise
  double largest_noise = 3e-3;  ///< directions whose projection is worse known are left out
  double largest_drift = 1e-4;  ///< of the error, as a part of it, before it is computed anew
  int refresh_every = 50;       ///< passes; the error is computed anew then in any case
  /// Fills its argument with the sinogram y again; none: the error is never computed anew, the projections are.
  std::function<void(ShardedSinogram const&)> reload = {};
};

/// What a step did.
struct SubspaceOutcome {
  double objective = std::numeric_limits<double>::quiet_NaN();  ///< after the pass, before the step
  double decrease = 0;                                          ///< at least so much lower after the step
  int directions = 0;                                           ///< that the step was taken along; 0: none was
  int mended_cylinders = 0;  ///< with negative voxels after the step, projected once more
  bool undone = false;       ///< mending them cost more than the step had gained
  bool refreshed = false;    ///< the error was computed anew
};

/// The arrays that a step moves.
struct SubspaceArrays {
  ShardedVolume recon;
  ShardedSinogram weighted_error;            ///< w (y - A x)
  ShardedSinogram const* weights = nullptr;  ///< w; null: ones
};

class SubspaceStep {
 public:
  /// Allocates stored_directions + 1 volumes and sinograms, and room for mending with positivity.
  SubspaceStep(TomographyModel const& model, Prior const& prior, SubspaceOptions options);
  ~SubspaceStep();

  /// Before a pass.
  void begin(SubspaceArrays const& arrays);
  /// After a pass: measures the objective and takes the step. Never raises the objective. Allocates nothing, except
  /// where the error is computed anew. Source: acceleration.md 3.
  SubspaceOutcome finish(SubspaceArrays const& arrays);
  /// Forgets earlier passes: for other data, or another image.
  void restart();
  /// The steps of earlier passes that the next one will be combined with, newest first.
  std::vector<ShardedVolume> stored_steps() const;
  /// After restart(): the arrays that hold such steps, to be filled; `count` of them, or as many as are kept.
  std::vector<ShardedVolume> offer_steps(int count) const;
  /// Takes up the first `count` of them.
  void take_up_steps(int count, ShardedSinogram const* weights);
  /// The prior is another one: what is known of the projections stays true, the last objective does not.
  void objective_changed() { last_objective_ = std::numeric_limits<double>::infinity(); }

  /// Bytes of what mends negative voxels, on each device.
  static Index mending_bytes(SliceBlocks const& blocks, Index num_pixels);

 private:
  struct Mending;

  /// arrays_[order_[0]] holds the pass's step, then come the stored ones, newest first.
  ProjectedDirection const& direction(int i) const { return arrays_[order_[i]]; }
  void store_newest(int slot);
  void take_step(SubspaceArrays const& arrays, ObjectiveModel const& objective,
                 std::array<double, ObjectiveModel::most> const& factors, SubspaceOutcome& outcome);
  void mend_and_check(SubspaceArrays const& arrays, ProjectedDirection const& newest, double before,
                      SubspaceOutcome& outcome);
  void undo(SubspaceArrays const& arrays, ProjectedDirection const& newest);
  int usable_directions(ObjectiveModel const& objective);
  void account_for_noise(ObjectiveModel const& objective, std::array<double, ObjectiveModel::most> const& factors,
                         bool mended);
  void refresh(SubspaceArrays const& arrays);
  void project_stored(ShardedSinogram const* weights);

  TomographyModel const& model_;
  SubspaceOptions options_;
  ObjectiveSums sums_;
  std::vector<ProjectedDirection> arrays_;  ///< stored_directions + 1
  std::vector<int> order_;
  std::vector<double> noise_;  ///< [array] what rounding adds to w (A d)^2 / sigma_y^2
  double drift_ = 0;           ///< what it has added to w e^2 / sigma_y^2 since the error was computed
  int stored_ = 0;             ///< directions from earlier passes
  int passes_since_refresh_ = 0;
  double last_objective_ = std::numeric_limits<double>::infinity();
  std::unique_ptr<Mending> mending_;  ///< with positivity
};

}  // namespace strata
