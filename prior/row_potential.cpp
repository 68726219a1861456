#include "prior/qggmrf_kernels.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)

#include <cmath>

#include "prior/row_potential.hpp"

namespace strata {
namespace {

TailPower tail_of(double exponent) {
  if (exponent == 1) return TailPower::one;
  return exponent == 2 ? TailPower::two : TailPower::general;
}

}  // namespace

RowPotential::RowPotential(QGGMRFParams const& params)
    : scalar(params),
      tail(tail_of(params.p - params.q)),
      quadratic(params.p == 2),
      tail_table(params.p - params.q, std::pow(params.T * params.sigma_x, params.q - params.p)),
      power_table(params.p - 2, std::pow(params.T * params.sigma_x, 2 - params.p)) {}

}  // namespace strata

#endif
