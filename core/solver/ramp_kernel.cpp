#include <numbers>

#include "core/solver/ramp_filter.hpp"

namespace strata {

std::vector<double> ramp_kernel(int num_channels, double scale) {
  std::vector<double> kernel(2 * num_channels - 1, 0.0);
  int const centre = num_channels - 1;
  kernel[centre] = scale / 4;
  for (int q = 1; q < num_channels; q += 2) {
    double const pi_q = std::numbers::pi * q;
    kernel[centre - q] = kernel[centre + q] = -scale / (pi_q * pi_q);
  }
  return kernel;
}

}  // namespace strata
