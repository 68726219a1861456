/// The filter step of direct reconstruction.
#pragma once

#include <memory>
#include <vector>

#include "core/model/geometry.hpp"
#include "core/model/sinogram_ops.hpp"

namespace strata {

/// f = post_weight . (scale * pi / views * ramp * (weights . y)), each detector row on its own: a zero-padded linear
/// convolution with
///   h[0] = 1/4, h[q] = 0 for other even q, h[q] = -1 / (pi q)^2 for odd q,
/// times (q g / sin(q g))^2 for channels at equal angles g. Source: Kak and Slaney, Principles of Computerized
/// Tomographic Imaging, 3.3 and 3.4.1. The transform behind it is FFTW on the
/// host, cuFFT or hipFFT on GPUs: one ramp_filter_*.cpp each, of which CMakeLists.txt takes one.
class RampFilter {
 public:
  RampFilter(SinogramShape const& shape, SinogramLayout const& layout, DirectFilterParams const& params);
  ~RampFilter();
  RampFilter(RampFilter const&) = delete;
  RampFilter& operator=(RampFilter const&) = delete;

  /// filtered = the filtered sinogram; may be the same array. Padding becomes 0.
  void apply(ShardedSinogram const& sinogram, ShardedSinogram const& filtered) const;

 private:
  struct Transform;
  struct RowGroup;
  /// buffer = weighted rows, zero-padded; and back: out = weighted rows.
  void load(ConstSinogram const& in, int global_view, RowGroup const& rows, float* buffer) const;
  void store(float* buffer, RowGroup const& rows, Sinogram const& out) const;

  SinogramLayout layout_;
  int padded_length_;
  std::vector<float> det_weights_;
  std::vector<float> post_weights_;
  std::vector<float> view_weights_;
  std::vector<float> response_;  ///< real spectrum of the kernel, times the scale and what the transforms want
  std::unique_ptr<Transform> transform_;
};

/// The kernel h[-(n-1) .. n-1] times `scale`, in double; entry n - 1 is h[0]. `fan_pitch`: rad between channels at
/// equal angles, 0 for channels at equal distances. \throws InputError for a fan of 180 degrees or more.
std::vector<double> ramp_kernel(int num_channels, double scale, double fan_pitch = 0);

/// Length of the transform for rows of `num_channels`: even, with only factors 2, 3 and 5, no shorter than the kernel.
int ramp_length(int num_channels);

/// The spectrum of ramp_kernel(), which is real, in [0, length / 2], in float.
std::vector<float> ramp_response(int num_channels, double scale, double fan_pitch, int length);

}  // namespace strata
