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

int ramp_length(int num_channels) {
  for (int length = 2 * num_channels;; length += 2) {
    int rest = length;
    for (int const factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return length;
  }
}

std::vector<float> ramp_response(int num_channels, double scale, double fan_pitch, int length) {
  auto const kernel = ramp_kernel(num_channels, scale, fan_pitch);
  // The kernel is even, so its spectrum is real: a cosine sum over the odd entries.
  std::vector<double> cosines(length);
  for (int j = 0; j < length; ++j) cosines[j] = std::cos(2 * std::numbers::pi * j / length);
  int const centre = num_channels - 1;
  std::vector<float> response(length / 2 + 1);
  for (int k = 0; k <= length / 2; ++k) {
    double sum = kernel[centre];
    for (int q = 1; q <= centre; q += 2) sum += 2 * kernel[centre + q] * cosines[Index(k) * q % length];
    response[k] = static_cast<float>(sum);
  }
  return response;
}

}  // namespace strata
