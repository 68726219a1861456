/// Kernels of one subset update of the denoiser on one slice owner. Arrays of a subset are compact:
/// [block][entry][lane].
#pragma once

#include "core/solver/subset_kernels.hpp"

namespace strata {

/// Direction of an update: d = (data_factor (v - x) - g) / (data_curvature + h).
struct DenoiseRule {
  Real data_factor = 1;     ///< 1 / sigma_noise^2
  Real data_curvature = 1;  ///< the same, or 1 as the reference has it
};

struct DenoiseArrays {
  PixelList pixels;
  ConstCylinders prior_gradient;   ///< g
  ConstCylinders prior_curvature;  ///< h
  ConstCylinders image;            ///< v, whole shard [block][pixel][lane]
};

/// Quantities of denoise_step().
enum DenoiseSum { step_magnitude, step_square, recon_magnitude, error_square, num_denoise_sums };

/// recon += d at the subset. sums, accumulated over subsets: |d|, d^2, and |x|, (v - x)^2 of what recon then holds.
void denoise_step(ExecSpace const& exec, ShardBlocks const& shard, DenoiseRule const& rule, DenoiseArrays const& arrays,
                  Cylinders const& recon, SliceSums const& sums);

/// direction = d, 0 in padded lanes. sums: quantity 0: d . (data_factor (v - x) - g), quantity 1: (data_factor + h)
/// d^2.
void denoise_direction(ExecSpace const& exec, ShardBlocks const& shard, DenoiseRule const& rule,
                       DenoiseArrays const& arrays, ConstCylinders const& recon, Cylinders const& direction,
                       SliceSums const& sums);

/// sums over all pixels: quantity 0: |x|, quantity 1: (v - x)^2.
void image_sums(ExecSpace const& exec, ShardBlocks const& shard, ConstCylinders const& recon,
                ConstCylinders const& image, SliceSums const& sums);

}  // namespace strata
