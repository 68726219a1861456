/// Fast powers with a fixed exponent.
#pragma once

#include <array>

namespace strata {

/// scale * a^exponent for positive normal floats a. With a = 2^E m, 1 <= m < 2, it is 2^(exponent E) from two tables of
/// 16 entries (the two halves of the biased E) times a polynomial in m - 1.5 that was fitted to m^exponent.
/// Relative error below 1e-6, see unit_tests/prior.
template <int degree>
struct PowerTable {
  std::array<float, degree + 1> coefficients;  ///< of (m - 1.5)^k
  std::array<float, 16> low;                   ///< 2^(exponent l)
  std::array<float, 16> high;                  ///< scale * 2^(exponent (16 h - 127))

  PowerTable(double exponent, double scale);
};

extern template struct PowerTable<6>;
extern template struct PowerTable<9>;

}  // namespace strata
