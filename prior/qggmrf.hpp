/// The q-generalised Gaussian Markov random field prior on the six nearest neighbours of a voxel.
#pragma once

#include <memory>

#include "core/model/prior.hpp"

namespace strata {

/// Relative weights of the neighbours along each axis; only their ratios matter.
struct NeighbourWeights {
  double row = 1;
  double col = 1;
  double slice = 1;
};

/// Potential rho(d) = |d|^p / (p sigma_x^p) / (1 + |d / (T sigma_x)|^(p-q)).
struct QGGMRFParams {
  double p = 2;        ///< behaviour near 0, 0 < p <= 2
  double q = 1.2;      ///< behaviour of large differences, 0 <= q <= p; convex for q >= 1
  double T = 1;        ///< where the one becomes the other, in units of sigma_x
  double sigma_x = 0;  ///< scale of a difference between neighbours, 1/ALU; must be given
  NeighbourWeights nbr_wts;
};

/// \throws InputError naming the first parameter out of range.
void validate(QGGMRFParams const& params);

/// The prior with the potential above. Voxels outside the volume equal the voxel at its face.
/// Source: Bouman, Foundations of Computational Imaging, ch. 8 (surrogate by a symmetric bound).
/// \throws InputError for parameters out of range.
std::unique_ptr<Prior const> make_qggmrf_prior(QGGMRFParams const& params);

}  // namespace strata
