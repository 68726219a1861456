/// The coarse grids on which an initial image may begin, and what runs on them.
#pragma once

#include <vector>

#include "core/model/geometry.hpp"
#include "core/solver/vcd_types.hpp"

namespace strata {

/// Passes and subsets on the grid of a factor.
struct CoarseLevel {
  static constexpr int partitions = 4;  ///< that take turns
  int factor, passes, subsets;
};

/// Coarsest first.
inline constexpr CoarseLevel coarse_levels[] = {{8, 8, 8}, {4, 6, 16}, {2, 8, 64}};

/// `mask` [pixel] of the fine grid, whose pixels are `factor` times smaller. A coarse pixel belongs to the region when
/// one of the fine pixels whose centres it holds does.
std::vector<bool> coarse_mask(std::vector<bool> const& mask, ReconShape const& fine, ReconShape const& coarse,
                              double factor);

/// The options of the fine grid as they hold on coarse ones, sigma_y unchanged.
VCDOptions coarse_options(VCDOptions options);

}  // namespace strata
