#include "drivers/support/coarse_prior.hpp"

#include "prior/proximal.hpp"

namespace strata {

CoarsePrior coarse_qggmrf(QGGMRFParams prior, CoarseGrid const& grid) {
  NeighbourWeights& weights = prior.nbr_wts;
  double const before = weights.row + weights.col + weights.slice;
  weights.row *= grid.factor * grid.slice_factor;
  weights.col *= grid.factor * grid.slice_factor;
  weights.slice *= grid.factor * grid.factor;
  return {make_qggmrf_prior(prior), (weights.row + weights.col + weights.slice) / before};
}

CoarsePrior coarse_proximal(ShardedVolume const& input, double sigma_prox, CoarseGrid const& grid) {
  return {make_proximal_prior(resampled_onto(grid, input), sigma_prox),
          double(grid.factor) * grid.factor * grid.slice_factor};
}

}  // namespace strata
