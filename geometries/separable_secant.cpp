/// How 1 / cos(phi) is found; for all back ends.
#include "geometries/separable_line.hpp"

namespace strata::separable {

SecantRule::SecantRule(double largest) {
  if (!(largest > 0)) return;
  // Errors of polynomials through the Chebyshev points: at most largest^3 / 512 and largest^4 / 3277.
  kind = largest < 0.11 ? SecantKind::polynomial : SecantKind::root;
  if (kind == SecantKind::root) return;
  degree = largest < 0.029 ? 2 : 3;
  double point[4], value[4];
  for (int i = 0; i <= degree; ++i) {
    point[i] = 0.5 * largest * (1 - Kokkos::cos(Kokkos::numbers::pi * (i + 0.5) / (degree + 1)));
    value[i] = Kokkos::sqrt(1 + point[i]);
  }
  for (int order = 1; order <= degree; ++order)  // divided differences
    for (int i = degree; i >= order; --i) value[i] = (value[i] - value[i - 1]) / (point[i] - point[i - order]);
  double sum[4] = {value[degree], 0, 0, 0};
  for (int i = degree - 1; i >= 0; --i) {  // Horner in t, from Newton's form
    for (int k = degree; k > 0; --k) sum[k] = sum[k - 1] - point[i] * sum[k];
    sum[0] = value[i] - point[i] * sum[0];
  }
  for (int i = 0; i < 4; ++i) coefficients[i] = static_cast<Real>(sum[i]);
}

}  // namespace strata::separable
