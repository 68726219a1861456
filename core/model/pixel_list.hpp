/// A list of pixels, that is of voxel cylinders, on one device.
#pragma once

#include <utility>

#include "core/base/types.hpp"

namespace strata {

/// Pixels in Z order of (row, col): neighbours in the list are neighbours in the plane, which is what the projectors'
/// tiles want. The order fixes the order of summation.
struct PixelList {
  Array1<int const> index;  ///< row * num_cols + col
  Array1<Real const> row;   ///< row and column as numbers, for footprint arithmetic
  Array1<Real const> col;
  int size() const { return index.extent_int(0); }
};

/// Entries [begin, end) of a list; a view without memory of its own.
inline PixelList part_of(PixelList const& list, int begin, int end) {
  std::pair<int, int> const range(begin, end);
  return {Kokkos::subview(list.index, range), Kokkos::subview(list.row, range), Kokkos::subview(list.col, range)};
}

/// Where the cylinder of list entry `t` with pixel `index(t)` lies in an array [block][position][lane].
enum class Position {
  by_pixel,  ///< at index(t): whole volumes
  by_entry   ///< at t: compact arrays of a subset
};

}  // namespace strata
