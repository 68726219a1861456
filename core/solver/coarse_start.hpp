/// An initial image from coarser grids: cheap passes there find the low frequencies that a direct reconstruction lacks
/// in cone beam, over limited angles and from few views.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/model/prior.hpp"
#include "core/solver/prepared_scan.hpp"
#include "core/solver/redundancy_weights.hpp"
#include "core/solver/vcd_types.hpp"

namespace strata {

/// A grid that is `factor` times coarser in the plane and `slice_factor` times along the slices than that of `fine`.
struct CoarseGrid {
  Geometry const& fine;
  TomographyModel const& model;
  int factor, slice_factor;
};

/// `image` of the fine grid, resampled onto `grid`; 0 outside its region.
ShardedVolume resampled_onto(CoarseGrid const& grid, ShardedVolume const& image);

/// A prior on a coarse grid, and by how much it is to be multiplied there.
struct CoarsePrior {
  std::unique_ptr<Prior const> prior;
  double weight = 1;
};

struct CoarseStartOptions {
  VCDOptions vcd;  ///< of the fine grid
  RedundancyOptions direct;
  std::function<CoarsePrior(CoarseGrid const&)> make_prior;
  std::uint32_t seed = 0;
};

/// Why the direct reconstruction of this scan lacks low frequencies; empty: it does not. Source: acceleration.md 1, 3.
std::string lack_of_direct_image(Geometry const& geometry);

/// The same where there are coarser grids on which to begin instead, else empty.
std::string reason_for_coarse_start(Geometry const& geometry);

/// The factors of the grids, coarsest first: those of 8, 4 and 2 that leave enough pixels and channels.
std::vector<int> coarse_factors(Geometry const& geometry);

struct CoarseStartResult {
  double detail = 0;            ///< share of the direct image's detail
  double objective = 0;         ///< of the image from coarse grids
  double direct_objective = 0;  ///< of the direct image
  bool better() const { return objective < direct_objective; }
};

/// image = what the coarse grids find, and as much of the detail of the direct reconstruction as lowers the objective
/// most; or the direct reconstruction, where its objective is lower. Needs two more volumes and sinograms, and what the
/// coarse grids take, while it runs. Source: acceleration.md 4.
CoarseStartResult coarse_start(PreparedScan& scan, Prior const& prior, CoarseStartOptions const& options,
                               ShardedVolume const& image);

}  // namespace strata
