/// The QGGMRF prior in double precision, plain loops over a whole volume.
#pragma once

#include <vector>

#include "core/model/shapes.hpp"
#include "prior/qggmrf.hpp"

namespace strata::reference {

/// rho(d), with |d| bounded below by T sigma_x eps as far as exponents below 0 are concerned.
double qggmrf_value(QGGMRFParams const& params, double d);

/// rho'(d) / d.
double qggmrf_curvature(QGGMRFParams const& params, double d);

struct QGGMRFResult {
  std::vector<double> gradient;   ///< [row][col][slice]
  std::vector<double> curvature;  ///< [row][col][slice]
};

/// Gradient and diagonal surrogate curvature at every voxel of volume [row][col][slice].
QGGMRFResult qggmrf_gradient(QGGMRFParams const& params, ReconShape const& shape, std::vector<double> const& volume);

/// Value of the prior.
double qggmrf_loss(QGGMRFParams const& params, ReconShape const& shape, std::vector<double> const& volume);

}  // namespace strata::reference
