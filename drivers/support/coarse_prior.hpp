/// Priors on the grids of a start on coarse grids.
#pragma once

#include "core/solver/coarse_start.hpp"
#include "prior/qggmrf.hpp"

namespace strata {

/// So that a smooth image has the same value of the prior as on the fine grid.
CoarsePrior coarse_qggmrf(QGGMRFParams prior, CoarseGrid const& grid);

/// The proximal prior about `input` of the fine grid: 1 / (2 sigma_prox^2) |x - v|^2, where v is the resampled input,
/// times the number of fine voxels in one of the grid's.
CoarsePrior coarse_proximal(ShardedVolume const& input, double sigma_prox, CoarseGrid const& grid);

}  // namespace strata
