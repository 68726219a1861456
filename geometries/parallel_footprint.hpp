/// Ray arithmetic of parallel beams: where a pixel's box lies on the channel axis.
/// Source: docs/design geometry, section 4.1.
#pragma once

#include "core/base/types.hpp"
#include "geometries/channel_footprint.hpp"

namespace strata {

/// Copied by value into kernels.
struct ParallelFootprint {
  /// One view: left edge of the box of pixel (row, col) = col_step * col - row_step * row + cell + fraction, in cells.
  struct View {
    Real col_step, col_step_rest;  ///< a step is the sum of its two parts
    Real row_step, row_step_rest;
    int cell;
    Real fraction;
    Real width;  ///< of the box, in cells
    Real scale;  ///< dx dy / L: path length through the voxel, ALU
  };

  Array1<View const> views;  ///< of this device
  int num_channels = 0;
  TapShape taps;

  KOKKOS_FORCEINLINE_FUNCTION View view(int v) const { return views(v); }

  /// Whole cells are taken out of both products before they are added up. What is left of a product is exact: row and
  /// col are whole numbers, and fma rounds once.
  KOKKOS_FORCEINLINE_FUNCTION static ChannelBox box(View const& view, Real row, Real col) {
    Real const along_cols = Kokkos::floor(view.col_step * col);
    Real const along_rows = Kokkos::floor(view.row_step * row);
    Real left = multiply_add(view.col_step, col, -along_cols) - multiply_add(view.row_step, row, -along_rows);
    left = multiply_add(view.col_step_rest, col, multiply_add(-view.row_step_rest, row, left)) + view.fraction;
    return {view.cell + static_cast<int>(along_cols - along_rows), left, view.width, view.scale};
  }
};

static_assert(sizeof(ParallelFootprint) <= 256, "kernels copy the footprint by value");

}  // namespace strata
