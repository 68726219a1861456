/// How 1 / cos(phi) is found; for all back ends.
#include "geometries/separable_line.hpp"

namespace strata::separable {

SecantRule::SecantRule(double largest) {
  if (!(largest > 0)) return;
  // Errors of the cubic through the Chebyshev points stay below 1e-7 up to here.
  kind = largest < 0.11 ? SecantKind::polynomial : SecantKind::root;
  if (kind == SecantKind::root) return;
  double point[4], value[4];
  for (int i = 0; i < 4; ++i) {
    point[i] = 0.5 * largest * (1 - Kokkos::cos(Kokkos::numbers::pi * (i + 0.5) / 4));
    value[i] = Kokkos::sqrt(1 + point[i]);
  }
  for (int order = 1; order < 4; ++order)  // divided differences
    for (int i = 3; i >= order; --i) value[i] = (value[i] - value[i - 1]) / (point[i] - point[i - order]);
  double sum[4] = {value[3], 0, 0, 0};
  for (int i = 2; i >= 0; --i) {  // Horner in t, from Newton's form
    for (int k = 3; k > 0; --k) sum[k] = sum[k - 1] - point[i] * sum[k];
    sum[0] = value[i] - point[i] * sum[0];
  }
  for (int i = 0; i < 4; ++i) coefficients[i] = static_cast<Real>(sum[i]);
}

}  // namespace strata::separable
