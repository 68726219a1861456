/// The QGGMRF potential as numbers that kernels need.
#pragma once

#include "core/base/types.hpp"
#include "prior/qggmrf.hpp"

namespace strata {

/// With a = max(|d|, T sigma_x eps), x = a / (T sigma_x), w = 1 / (1 + x^(p-q)), K = T^(p-2) / sigma_x^2, r = q / p:
///   rho(d)    = K/p x^(p-2) d^2 w
///   rho'(d)/d = K x^(p-2) w (r + (1 - r) w)
/// which needs one reciprocal and does not overflow.
struct QGGMRFPotential {
  explicit QGGMRFPotential(QGGMRFParams const& params);

  Real smallest;     ///< T sigma_x eps, 1/ALU: bounds rho'(d)/d at 0 when p < 2
  Real scale;        ///< 1 / (T sigma_x)
  Real exponent;     ///< p - q
  Real exponent_2;   ///< p - 2
  Real constant;     ///< K r
  Real slope;        ///< K (1 - r)
  Real value_scale;  ///< K / p
  Real weight_row;   ///< b of one neighbour along each axis; the six sum to 1
  Real weight_col;
  Real weight_slice;

  /// rho'(d)/d, 1/ALU^-2.
  KOKKOS_FUNCTION Real curvature(Real d) const {
    Real power;
    Real const w = tail(d, power);
    return power * (w * (constant + slope * w));
  }
  /// rho(d).
  KOKKOS_FUNCTION Real value(Real d) const {
    Real power;
    Real const w = tail(d, power);
    return value_scale * power * (w * (d * d));
  }

 private:
  /// w of above; power = x^(p-2).
  KOKKOS_FUNCTION Real tail(Real d, Real& power) const {
    Real const x = Kokkos::fmax(Kokkos::fabs(d), smallest) * scale;
    Real const log_x = Kokkos::log2(x);
    power = exponent_2 == Real(0) ? Real(1) : Kokkos::exp2(exponent_2 * log_x);
    return Real(1) / (Real(1) + Kokkos::exp2(exponent * log_x));
  }
};

}  // namespace strata
