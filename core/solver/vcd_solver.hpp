/// Vectorised coordinate descent: each iteration visits the subsets of a partition of the pixels and moves all voxel
/// cylinders of a subset along one direction, with an exact line search.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/model/prior.hpp"
#include "core/model/tomography_model.hpp"
#include "core/solver/subset_kernels.hpp"
#include "core/solver/subset_plan.hpp"
#include "core/solver/vcd_types.hpp"

namespace strata {

/// The arrays of a run. The error sinogram is kept multiplied by the weights.
struct VCDState {
  ShardedVolume recon;                       ///< x
  ShardedVolume hessian;                     ///< (A o A)' w
  ShardedSinogram weighted_error;            ///< w (y - A x)
  ShardedSinogram const* weights = nullptr;  ///< w; null: ones
  /// y, from which accelerated runs compute the error anew from time to time; absent: they do not.
  std::optional<ShardedSinogram> sinogram = {};
};

class ObjectiveSums;
class SubspaceStep;

class VCDSolver {
 public:
  /// Allocates everything that iterations need. `plans`: one for each partition that will be used.
  VCDSolver(TomographyModel const& model, Prior const& prior, VCDOptions const& options, VCDState const& state,
            std::vector<SubsetPlan> plans);
  ~VCDSolver();

  /// Adds a plan whose subsets are no larger than those there are. Returns its number.
  int add_plan(SubsetPlan plan);
  int num_plans() const { return static_cast<int>(plans_.size()); }

  /// Null without acceleration.
  SubspaceStep* acceleration() const { return acceleration_.get(); }

  /// One pass over the subsets of plan `plan` in the given order. Allocates nothing.
  IterationStats iterate(int iteration, int plan, std::vector<int> const& order);

  /// To be called when the prior has changed, so that objectives before and after cannot be compared.
  void objective_changed();

  /// To be called when the arrays of the state were set anew, weights included, also after a pass that was interrupted.
  void restart();

 private:
  struct Workspace;
  struct StepSums {
    double descent = 0;          ///< -<g, d>
    double prior_curvature = 0;  ///< <h d, d>
    double data_curvature = 0;   ///< <A d, w A d>
  };

  void update(SubsetPlan::Subset const& subset, double& alpha_sum);
  void back_project_error(SubsetPlan::Subset const& subset);
  void find_direction(SubsetPlan::Subset const& subset);
  StepSums measure_direction(SubsetPlan::Subset const& subset);
  double step_length(StepSums const& sums) const;
  void take_step(SubsetPlan::Subset const& subset, double alpha);
  void begin_statistics();
  void finish_pending();
  void share_direction(SubsetPlan::Subset const& subset);
  void descend_pending();
  void back_project_in_chunks(SubsetPlan::Subset const& subset);
  void project_in_chunks(SubsetPlan::Subset const& subset);
  struct Chunk;
  Chunk chunk_at(SubsetPlan::Subset const& subset, int begin) const;
  void add_up(SubsetPlan::Subset const& subset, Chunk const& chunk);
  void collect(SubsetPlan::Subset const& subset, Chunk const& chunk);
  void finish_statistics(IterationStats& stats);
  void make_objective();
  void begin_acceleration();
  void finish_objective(IterationStats& stats);
  void find_mean_weight();
  ConstSinogram weights(int device) const;

  TomographyModel const& model_;
  Prior const& prior_;
  VCDOptions options_;
  VCDState state_;
  std::vector<SubsetPlan> plans_;
  double fm_;  // 1 / sigma_y^2
  double mean_weight_ = 1;
  Halo halo_;
  SinogramSums sums_;
  std::unique_ptr<Workspace> work_;
  std::unique_ptr<ObjectiveSums> objective_;    // where it is asked for without acceleration
  std::unique_ptr<SubspaceStep> acceleration_;  // with acceleration
};

}  // namespace strata
