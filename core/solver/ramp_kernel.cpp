#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/solver/ramp_filter.hpp"

namespace strata {

std::vector<double> ramp_kernel(int num_channels, double scale, double fan_pitch) {
  require(std::abs(fan_pitch) * (num_channels - 1) < std::numbers::pi,
          "direct reconstruction: expected a fan of less than 180 degrees, got ",
          std::abs(fan_pitch) * (num_channels - 1) * 180 / std::numbers::pi);
  std::vector<double> kernel(2 * num_channels - 1, 0.0);
  int const centre = num_channels - 1;
  kernel[centre] = scale / 4;
  for (int q = 1; q < num_channels; q += 2) {
    double const pi_q = std::numbers::pi * q;
    double const arc = q * fan_pitch;
    double const stretch = fan_pitch == 0 ? 1 : arc / std::sin(arc);
    kernel[centre - q] = kernel[centre + q] = -scale * stretch * stretch / (pi_q * pi_q);
  }
  return kernel;
}

}  // namespace strata
