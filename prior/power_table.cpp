#include "prior/power_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace strata {
namespace {

/// Coefficients of (m - 1.5)^k of the polynomial that equals m^exponent at the Chebyshev nodes of [1, 2].
/// Newton's divided differences, then expanded.
std::vector<double> fit_power(double exponent, int degree) {
  int const count = degree + 1;
  std::vector<double> node(count), difference(count);
  for (int k = 0; k < count; ++k) {
    node[k] = 0.5 * std::cos(std::numbers::pi * (k + 0.5) / count);
    difference[k] = std::pow(1.5 + node[k], exponent);
  }
  for (int order = 1; order < count; ++order)
    for (int k = degree; k >= order; --k)
      difference[k] = (difference[k] - difference[k - 1]) / (node[k] - node[k - order]);
  std::vector<double> polynomial(count, 0.0);
  for (int k = degree; k >= 0; --k) {  // polynomial = polynomial * (z - node[k]) + difference[k]
    for (int n = degree; n > 0; --n) polynomial[n] = polynomial[n - 1] - node[k] * polynomial[n];
    polynomial[0] = difference[k] - node[k] * polynomial[0];
  }
  return polynomial;
}

float to_float(double value) {
  return static_cast<float>(std::min(value, static_cast<double>(std::numeric_limits<float>::max())));
}

}  // namespace

template <int degree>
PowerTable<degree>::PowerTable(double exponent, double scale) {
  std::vector<double> const fit = fit_power(exponent, degree);
  for (int k = 0; k <= degree; ++k) coefficients[k] = static_cast<float>(fit[k]);
  for (int n = 0; n < 16; ++n) {
    low[n] = to_float(std::exp2(exponent * n));
    high[n] = to_float(scale * std::exp2(exponent * (16 * n - 127)));
  }
}

template struct PowerTable<6>;
template struct PowerTable<9>;

}  // namespace strata
