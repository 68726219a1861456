/// Kernels for cylinders and rows that fit in one vector each, as scans of a few detector rows have them: a fan never
/// leaves the registers. For chunks of which find_thin_fans() says so. Host only.
#pragma once

#include "geometries/separable_chunk.hpp"
#include "geometries/separable_workspace.hpp"

namespace strata::separable {

/// One view of a back projection.
struct ThinView {
  Real const* sino;  ///< [channel][row]
  Index channel_stride;
  Real const* heights;  ///< [slice] squared, see RowLine
};

/// x[pixel][slice] += A' sino, for the window of taps that the chunk holds.
void back_thin(CylinderShape const& shape, ThinView const& view, ChunkMemory<back_chunk> const& chunk, int count,
               bool squared, Real* x);

/// The pixels of one chunk and their values.
struct ThinCylinders {
  CylinderSource const& source;
  int const* position;  ///< of the chunk's pixels in the source; null: first, first + 1, ...
  int first;
  Real* memory;  ///< [slices]
};

/// sino [channel][row] += A x in one view, for the window of taps that the chunk holds, pixel by pixel in `order`.
void forward_thin(CylinderShape const& shape, ThinCylinders const& cylinders, ChunkMemory<forward_chunk> const& chunk,
                  std::uint8_t const* order, int count, Real const* heights, Index channel_stride, Real* sino);

}  // namespace strata::separable
