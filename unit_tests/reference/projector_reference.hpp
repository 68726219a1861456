/// Projectors as plain loops in double, straight from the formulas. Slow and simple: the oracle of the kernels.
#pragma once

#include <vector>

#include "geometries/parallel_beam.hpp"

namespace strata::reference {

/// Overlap of a unit cell and a box of width `width` whose centres are `distance` apart.
double trapezoid(double distance, double width);

/// Matrix entry of (view, channel) and pixel (row, col), the same for all slices.
double parallel_entry(ParallelBeamParams const& params, int view, int channel, int row, int col);

/// sino [view][row][channel] = A x, x being [entry][slice] at `pixels` and zero elsewhere.
std::vector<double> forward_project(ParallelBeamParams const& params, std::vector<int> const& pixels,
                                    std::vector<double> const& cylinders);

/// [entry][slice]: A'y (power 1) or (A o A)'y (power 2) at `pixels`.
std::vector<double> back_project(ParallelBeamParams const& params, std::vector<int> const& pixels,
                                 std::vector<double> const& sino, int power);

}  // namespace strata::reference
