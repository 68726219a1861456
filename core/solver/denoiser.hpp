/// Denoising with a Markov random field prior: VCD whose forward model is the identity.
///   F(x) = |v - x|^2 / (2 sigma_noise^2) + prior(x)
#pragma once

#include <memory>
#include <vector>

#include "core/model/prior.hpp"
#include "core/placement/sharded.hpp"
#include "core/placement/transfer.hpp"
#include "core/solver/pixel_partition.hpp"
#include "core/solver/subset_plan.hpp"
#include "core/solver/vcd_types.hpp"

namespace strata {

struct DenoiserOptions {
  double sigma_noise = 0;  ///< 1/ALU, above 0
  /// true: the data's curvature counts as 1, as in MBIRJAX, and a line search mends it (at most max_alpha). false: it
  /// is 1 / sigma_noise^2, full steps are the minimum of the line search, and the objective never rises.
  bool reference_mode = false;
  double max_alpha = 1.5;
  bool compute_prior_loss = false;
  bool interrupt_within_pass = true;  ///< false: a pass that has begun is finished, so the image is worth keeping
};

/// The subsets of a pass, in the order of visits. By default a checkerboard, which needs no random numbers; with
/// reference_mode 16 random subsets, as MBIRJAX draws them after seeding with `seed`.
///   pixels  those that may change, increasing
PixelPartition denoiser_partition(std::vector<int> const& pixels, ReconShape const& shape, bool reference_mode,
                                  std::uint32_t seed);

/// Passes over a partition. In a pass a device looks at others once, for the slices at its shard's ends; with the
/// reference's line search each subset sums over devices. Neither allocates.
/// Source: solver.md 5.
class Denoiser {
 public:
  /// `recon` is the initial image, and becomes the denoised one. `image` is v. Pixels that no subset of `partition`
  /// holds keep their values. \throws InputError unless sigma_noise > 0.
  Denoiser(Prior const& prior, DenoiserOptions const& options, ReconShape const& shape, ShardedVolume const& image,
           ShardedVolume const& recon, PixelPartition const& partition);
  ~Denoiser();

  /// One pass. fm_rmse of the result is |v - x| / (sigma_noise sqrt(N)), prior_loss is per voxel, where asked for.
  IterationStats iterate(int iteration);

  /// F(x) of what was recorded; needs compute_prior_loss.
  double objective(IterationStats const& stats) const;

  /// Bytes of the denoiser's own arrays on `device`, for the memory plan.
  static Index bytes_per_device(Placement const& slices, ReconShape const& shape, Index max_subset,
                                bool reference_mode);

 private:
  struct Workspace;

  void sweep();
  double sweep_with_line_search();
  void step_on_device(int device, ExecSpace const& exec, SubsetPlan::Subset const& subset) const;
  double search_step(SubsetPlan::Subset const& subset);
  void finish_statistics(IterationStats& stats);

  Prior const& prior_;
  DenoiserOptions options_;
  ReconShape shape_;
  ShardedVolume image_;
  ShardedVolume recon_;
  SubsetPlan plan_;
  bool repeats_;         ///< some pixels are in several subsets
  bool sums_with_step_;  ///< each pixel is visited once, so sums over the image are made on the way
  Halo halo_;
  std::unique_ptr<Workspace> work_;
};

}  // namespace strata
