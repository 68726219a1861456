/// The QGGMRF potential on vectors of lanes. Host translation units only.
#pragma once

#include "prior/lanes.hpp"
#include "prior/power_table.hpp"
#include "prior/qggmrf_potential.hpp"

namespace strata {

/// Which exponents p - q need no table.
enum class TailPower { general, one, two };

struct RowPotential {
  explicit RowPotential(QGGMRFParams const& params);

  QGGMRFPotential scalar;
  TailPower tail;
  bool quadratic;             ///< p = 2: x^(p-2) is 1
  PowerTable<6> tail_table;   ///< (a / (T sigma_x))^(p-q)
  PowerTable<9> power_table;  ///< (a / (T sigma_x))^(p-2)
};

/// Compile-time choice of the formulas.
template <TailPower tail_power, bool is_quadratic>
struct Form {
  static constexpr TailPower tail = tail_power;
  static constexpr bool quadratic = is_quadratic;
};

/// Calls f(Form) with the form of `potential`. With p < 2 there is a table anyway, and one form for all exponents.
template <class F>
void with_form(RowPotential const& potential, F const& f) {
  if (!potential.quadratic) return f(Form<TailPower::general, false>{});
  switch (potential.tail) {
    case TailPower::general:
      return f(Form<TailPower::general, true>{});
    case TailPower::one:
      return f(Form<TailPower::one, true>{});
    case TailPower::two:
      return f(Form<TailPower::two, true>{});
  }
}

namespace lanes {

/// A table's power of N vectors at once: the steps of the N are interleaved, because the processor's scheduler is too
/// short to overlap whole evaluations.
///   z         mantissa - 1.5
///   exponent  biased exponent
template <int degree, int N>
STRATA_INLINE void power(PowerTable<degree> const& table, Float const (&z)[N], Int const (&exponent)[N],
                         Float (&scale)[N], Float (&polynomial)[N]) {
  Float const low = load(table.low.data());
  Float const high = load(table.high.data());
  for (int n = 0; n < N; ++n) polynomial[n] = broadcast(table.coefficients[degree]);
#pragma GCC unroll 10
  for (int k = degree - 1; k >= 0; --k) {
    Float const c = broadcast(table.coefficients[k]);
    for (int n = 0; n < N; ++n) polynomial[n] = polynomial[n] * z[n] + c;
  }
  for (int n = 0; n < N; ++n) scale[n] = pick(low, exponent[n]) * pick(high, exponent[n] >> 4);
}

/// w and x^(p-2) of QGGMRFPotential, N vectors at once. `magnitude` masks the bits of |d|: 0x7fffffff in real lanes, 0
/// in padded ones, which then count as d = 0 whatever they hold. `second` is left alone when p = 2.
template <class F, int N>
STRATA_INLINE void tail(RowPotential const& f, Float const (&d)[N], Int const (&magnitude)[N], Float (&w)[N],
                        Float (&second)[N]) {
  // Positive floats are ordered as their bits are, and the integer maximum is one instruction.
  Int const smallest = bits(broadcast(f.scalar.smallest));
  Float a[N], z[N];
  Int exponent[N];
  for (int n = 0; n < N; ++n) {
    Int const size = bits(d[n]) & magnitude[n];
    a[n] = from_bits(size > smallest ? size : smallest);
  }
  if constexpr (F::tail == TailPower::general || !F::quadratic) {
    Int const mantissa = Int{} + 0x007fffff, one = Int{} + 0x3f800000;
    for (int n = 0; n < N; ++n) {
      exponent[n] = bits(a[n]) >> 23;
      z[n] = from_bits((bits(a[n]) & mantissa) | one) - 1.5f;
    }
  }
  if constexpr (F::tail == TailPower::general) {
    Float scale[N], polynomial[N];
    power(f.tail_table, z, exponent, scale, polynomial);
    for (int n = 0; n < N; ++n) w[n] = 1.0f / (scale[n] * polynomial[n] + 1.0f);
  } else {
    for (int n = 0; n < N; ++n) {
      Float const x = a[n] * f.scalar.scale;
      w[n] = 1.0f / (F::tail == TailPower::one ? x + 1.0f : x * x + 1.0f);
    }
  }
  if constexpr (!F::quadratic) {
    Float scale[N], polynomial[N];
    power(f.power_table, z, exponent, scale, polynomial);
    for (int n = 0; n < N; ++n) second[n] = scale[n] * polynomial[n];
  }
}

/// c = b rho'(d)/d with constant = b K r, slope = b K (1 - r).
template <class F, int N>
STRATA_INLINE void curvature(RowPotential const& f, float constant, float slope, Float const (&d)[N],
                             Int const (&magnitude)[N], Float (&c)[N]) {
  Float w[N], second[N];
  tail<F>(f, d, magnitude, w, second);
  for (int n = 0; n < N; ++n) {
    c[n] = w[n] * (w[n] * slope + constant);
    if constexpr (!F::quadratic) c[n] = c[n] * second[n];
  }
}

}  // namespace lanes
}  // namespace strata
