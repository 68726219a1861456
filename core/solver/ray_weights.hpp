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

/// Generalised Huber function: errors beyond `threshold` standard deviations count with weight
/// delta * threshold / |error|; delta = 1 is Huber's own.
struct HuberWeights {
  double threshold = 1;
  double delta = 1;
};

/// Replaces `weights`, those with which a reconstruction was made, by base weights w times the Huber weights of its
/// error e = `weighted_error` / `weights`. One standard deviation of e is s / sqrt(w), s^2 the mean of w e^2 over rays
/// with w > 0 and errors up to three standard deviations; the reference's s^2, sum(e^2) / sum(1 / w), is ruled by the
/// outliers and by the rays that count least. Rays of weight 0 stay
/// so. Returns the share of rays beyond the threshold. \throws InputError for threshold <= 0 or delta outside (0, 1],
/// or base weights that are all 0.
double huber_weights(TomographyModel const& model, HuberWeights const& options, ShardedSinogram const& base,
                     ShardedSinogram const& weighted_error, ShardedSinogram const& weights);

/// Sets weights to 0 where `dead` [det_row][channel] is true, in every view, and in `masked_views`.
void leave_out_rays(SinogramLayout const& layout, std::vector<bool> const& dead, std::vector<int> const& masked_views,
                    ShardedSinogram const& weights);

}  // namespace strata
