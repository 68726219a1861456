/// Options and statistics of iterative reconstruction. Names are MBIRJAX's.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/model/geometry.hpp"

namespace strata {

/// What follows each pass.
enum class Acceleration {
  none,
  subspace  ///< a step along the pass and earlier ones, see SubspaceStep
};

struct VCDOptions {
  double sigma_y = 1;  ///< no unit
  double max_alpha = 1.5;
  bool positivity_flag = false;
  bool reference_mode = false;  ///< the reference's choices, see docs/differences.md
  bool compute_prior_loss = false;
  std::vector<double> slice_mean_damping = {};  ///< [slice] factors s of Geometry::slice_mean_damping(); empty: none
  double stop_threshold_change_pct = 0.2;       ///< 0: never stop early
  double stop_excess_pct = 0;      ///< stop when the objective is at most so much above its minimum; 0: never; needs it
  bool compute_objective = false;  ///< with acceleration it is there anyway
  Acceleration acceleration = Acceleration::none;
  int acceleration_directions = 1;  ///< earlier steps that are kept, 1 or 2
  double finer_below_alpha = 0;     ///< twice as many subsets after a pass of the finest with a smaller mean alpha
  /// Cells of 2 x 2 pixels are solved together; partitions should hold whole ones. Absent: single pixels. Not together
  /// with reference_mode or slice_mean_damping.
  std::optional<PixelCorrelations> cells = {};
  Index max_exchange_bytes = 0;       ///< of a subset between several devices, see SubsetSizes; changes no result
  int exchange_turns = 0;             ///< see ExchangePlan; changes no result
  bool interrupt_within_pass = true;  ///< false: a pass that has begun is finished, so the image is worth keeping
};

/// What is recorded of one iteration. Source: solver.md 2.6.
struct IterationStats {
  int iteration = 0;
  int num_subsets = 0;
  double fm_rmse = 0;                                            ///< sqrt(sum w e^2 / (mean(w) N)) / sigma_y
  double error_sino_rmse = 0;                                    ///< sqrt(sum e^2 / N)
  double pct_change = 0;                                         ///< 100 * sum |update| / sum |recon|
  double alpha = 0;                                              ///< mean over the subsets
  double prior_loss = 0;                                         ///< per voxel; 0 unless asked for
  double objective = std::numeric_limits<double>::quiet_NaN();   ///< F after the pass, before the subspace step
  double excess_pct = std::numeric_limits<double>::quiet_NaN();  ///< estimated bound of 100 (F - min F) / F
  bool converged = false;                                        ///< a test that ends the run is met
  int subspace_directions = 0;  ///< along which the subspace step was taken; 0: none was
  int mended_cylinders = 0;     ///< projected once more after that step, because it had made voxels negative
  double seconds = 0;
  std::vector<double> delta_norm_per_slice;
};

}  // namespace strata
