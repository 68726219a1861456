/// The direction of a subset update that solves cells of 2 x 2 pixels, slice by slice, instead of single voxels:
/// neighbours that move together do not count what both of them change twice.
#pragma once

#include "core/model/geometry.hpp"
#include "core/model/prior.hpp"
#include "core/solver/subset_kernels.hpp"

namespace strata {

/// Cells are those of cell_of(); in lists in Z order their pixels follow each other.
struct CellRule {
  PixelCorrelations correlations;
  int num_cols = 1;  ///< of the plane
};

/// direction = d, the approximate minimiser of g.d + 1/2 d'Bd over each cell and slice, where B has data_factor H +
/// prior curvature on its diagonal and data_factor rho_ij sqrt(H_i H_j) - coupling_ij beside it, with d >= -x where
/// the rule clips. It is found by sweeps over the voxels of the cell, each of which lowers the quadratic, so g.d < 0
/// unless g (or what of it the bounds leave) is 0. Voxels of a cell that the subset does not hold stay. 0 in padded
/// lanes. Slice means are not damped.
///   couplings  of the prior, shapes as subset.prior_curvature; empty: none
/// sums: quantity 0: -g d, quantity 1: d'Pd with P the prior's part of B.
void cell_direction(ExecSpace const& exec, ShardBlocks const& shard, DirectionRule const& rule, CellRule const& cells,
                    SubsetArrays const& subset, PlaneCouplings const& couplings, SliceSums const& sums);

}  // namespace strata
