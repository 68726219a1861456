/// Inputs of cell_direction() on the host, what it makes of them, and the same in double, cell by cell.
#pragma once

#include <array>
#include <vector>

#include "core/solver/cell_kernels.hpp"

namespace strata::test {

struct CellCase {
  ReconShape shape;
  std::vector<int> pixels;  ///< of the subset, in Z order
  DirectionRule rule;
  PixelCorrelations correlations;
  bool coupled = true;
  std::vector<float> back_projection, prior_gradient, prior_curvature;  ///< [entry][slice]
  std::vector<float> next_row, next_col;                                ///< couplings [entry][slice]
  std::vector<float> hessian, recon;                                    ///< [pixel][slice]

  std::size_t at(std::size_t entry, int slice) const {
    return entry * static_cast<std::size_t>(shape.num_slices) + static_cast<std::size_t>(slice);
  }
};

struct CellCaseOptions {
  double keep = 1;  ///< share of the pixels that the subset holds
  bool coupled = true;
  bool clip = false;
  unsigned seed = 1;
};

/// Random numbers with the prior curvature of a voxel at least the sum of its couplings, as a prior's is. About a third
/// of the voxels of the image are 0, some negative.
CellCase random_cells(ReconShape const& shape, PixelCorrelations const& correlations,
                      CellCaseOptions const& options = {});

/// The case without the entries [begin, end) of its list.
CellCase without_entries(CellCase const& cells, std::size_t begin, std::size_t end);

struct CellResult {
  std::vector<float> direction;            ///< [entry][slice]
  std::vector<double> descent, curvature;  ///< [slice]
  bool padding_is_zero = true;             ///< of the direction, in all lanes beyond the last slice
};

/// cell_direction() on every shard; `padding` stands in all lanes beyond the last slice of all inputs.
CellResult run_cells(CellCase const& cells, int num_shards = 1, float padding = 0);

/// The quadratic g.d + 1/2 d'Bd of one cell and slice, number 2 (row mod 2) + col mod 2. A voxel that the subset does
/// not hold has the entry -1 and zeros.
struct CellSystem {
  using Vector = std::array<double, 4>;
  std::array<int, 4> entry = {-1, -1, -1, -1};
  Vector slope{};                  ///< g
  Vector scale{};                  ///< |prior gradient| + |data gradient|: what the slope is a difference of
  Vector lowest{};                 ///< of d
  std::array<Vector, 4> matrix{};  ///< B
  std::array<Vector, 4> prior{};   ///< its part P

  int members() const;
  double value(Vector const& d) const;
  /// Sweeps over the voxels in the order of their numbers from d = 0; each moves to the minimum, not below its bound.
  Vector swept(int sweeps) const;
  /// The d that minimises the quadratic within the bounds.
  Vector minimiser() const;
};

/// All cells of slice `slice`.
std::vector<CellSystem> cell_systems(CellCase const& cells, int slice);

/// a'Mb
double product(std::array<CellSystem::Vector, 4> const& matrix, CellSystem::Vector const& a,
               CellSystem::Vector const& b);
double product(CellSystem::Vector const& a, CellSystem::Vector const& b);

/// The direction of a cell as the kernel left it.
CellSystem::Vector direction_of(CellCase const& cells, CellResult const& result, CellSystem const& cell, int slice);

}  // namespace strata::test
