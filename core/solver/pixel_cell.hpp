/// Cells of 2 x 2 pixels: those with the same row / 2 and col / 2.
#pragma once

#include "core/base/types.hpp"

namespace strata {

/// The number of the cell that holds `pixel`, row by row.
KOKKOS_INLINE_FUNCTION int cell_of(int pixel, int num_cols) {
  return pixel / num_cols / 2 * ((num_cols + 1) / 2) + pixel % num_cols / 2;
}

}  // namespace strata
