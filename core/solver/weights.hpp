/// Weights of the measurements, from the measurements or from a file.
#pragma once

#include <span>
#include <string>

#include "core/base/types.hpp"

namespace strata {

/// As functions of a line integral s.
enum class WeightModel {
  unweighted,         ///< 1
  transmission,       ///< exp(-s)
  transmission_root,  ///< exp(-s / 2)
  emission            ///< 1 / (|s| + 0.1)
};

/// \throws InputError that lists the known names.
WeightModel parse_weight_model(std::string const& name);

/// Line integrals below this make the transmission models refuse: light would be e^10 = 22026 times the open beam's,
/// and a few such values would rule every sum (their weights overflow below -88).
inline constexpr float lowest_line_integral = -10;

/// weights[i] = model(sinogram[i]); `weights` may be the sinogram itself. \throws InputError for a line integral that
/// is not finite, or below lowest_line_integral in the transmission models; values are never clipped.
void compute_weights(WeightModel model, std::span<float const> sinogram, std::span<float> weights);

/// Checks weights that come in parts: finite, not negative, not all zero.
class WeightCheck {
 public:
  /// \throws InputError for a value that is not finite or negative, with its position among all values so far.
  void add(std::span<float const> weights);
  /// \throws InputError when all weights were zero, or there were none.
  void finish() const;
  /// Mean of all weights so far.
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

 private:
  Index count_ = 0;
  double sum_ = 0;
};

}  // namespace strata
