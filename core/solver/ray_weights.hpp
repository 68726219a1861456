/// Weights that depend on more than their own line integral: rays through metal, rays that fit badly, rays to leave
/// out.
#pragma once

#include <optional>
#include <vector>

#include "core/model/tomography_model.hpp"

namespace strata {

/// weights = exp(-y (1 + gamma m) / beta), m = 1 for rays through metal (solver.md 4.3).
struct MetalWeights {
  double beta = 1;
  double gamma = 3;
  std::optional<double> threshold;  ///< 1/ALU of the image, or line integral; none: the upper of three Otsu classes
};

/// Metal are the voxels of `image` above the threshold, its rays those that meet one; without an image, the rays with
/// line integrals above the threshold. `weights` may not be `y`. Padding becomes 0. Returns the threshold.
/// \throws InputError for beta <= 0, gamma < 0, or where Otsu finds fewer than three values.
double metal_weights(TomographyModel const& model, MetalWeights const& options, ShardedSinogram const& y,
                     ShardedVolume const* image, ShardedSinogram const& weights);

/// Generalised Huber function: rays whose error r, in standard deviations, is beyond `threshold` count with
/// delta * threshold / (|r| + 1e-6); delta = 1 is Huber's own.
struct HuberWeights {
  double threshold = 1;
  double delta = 1;
  bool clipped_scale = false;  ///< the scale of the errors is found without outliers, see huber_weights()
};

/// Replaces `weights`, those with which a reconstruction was made, by base weights w times the Huber weights of its
/// error e = `weighted_error` / `weights`. The standard deviation of a ray is a / max(sqrt(w), 1e-6) with
/// a = |e|_2 / (|1 / max(sqrt(w), 1e-6)|_2 + 1e-6) over rays with w > 0, which outliers and the rays that count least
/// rule. With clipped_scale a^2 is the mean of w e^2 over rays with errors up to three deviations, found again until
/// no more are left out. Rays of weight 0 stay so. Returns the share of rays beyond the threshold. Source: solver.md
/// 4.3. \throws InputError for threshold <= 0 or delta outside [0, 1], or weights that are all 0 before or after.
double huber_weights(TomographyModel const& model, HuberWeights const& options, ShardedSinogram const& base,
                     ShardedSinogram const& weighted_error, ShardedSinogram const& weights);

/// Sets weights to 0 where `dead` [det_row][channel] is true, in every view, and in `masked_views`.
void leave_out_rays(SinogramLayout const& layout, std::vector<bool> const& dead, std::vector<int> const& masked_views,
                    ShardedSinogram const& weights);

}  // namespace strata
