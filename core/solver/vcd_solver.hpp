/// Vectorised coordinate descent: each iteration visits the subsets of a partition of the pixels and moves all voxel
/// cylinders of a subset along one direction, with an exact line search.
#pragma once

#include <functional>
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
};

class VCDSolver {
 public:
  /// Allocates everything that iterations need. `plans`: one for each partition that will be used.
  VCDSolver(TomographyModel const& model, Prior const& prior, VCDOptions const& options, VCDState const& state,
            std::vector<SubsetPlan> plans);
  ~VCDSolver();

  /// One pass over the subsets of plan `plan` in the given order. Allocates nothing.
  IterationStats iterate(int iteration, int plan, std::vector<int> const& order);

  /// Bytes of the solver's own arrays on `device`, for the memory plan.
  static Index bytes_per_device(TomographyModel const& model, int device, int max_subset);

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
  void finish_pending();
  void share_direction(int entries);
  void finish_statistics(IterationStats& stats);
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
};

}  // namespace strata
