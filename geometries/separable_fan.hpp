/// Fans between a cylinder and the detector rows: the inner loops of the kernels, for any geometry. Host only; one copy
/// of the code, so that all kernels round alike.
#pragma once

#include <algorithm>

#include "core/placement/slice_blocks.hpp"
#include "geometries/separable_line.hpp"
#include "geometries/separable_vector.hpp"

namespace strata::separable {

/// Zeros on either side of a line of cells.
constexpr int guard = 32;
/// Channels that one pass handles.
constexpr int max_taps = 4;

/// How values are fetched: from 32 cells in registers with two or three taps, or one by one.
enum class FanPath { two_taps, three_taps, wide, ready };

/// The path for boxes `step` cells apart, without sign.
KOKKOS_FORCEINLINE_FUNCTION FanPath fan_path(Real width, double step) {
  double const reach = (FanVector::width - 1) * step, fits = 2 * FanVector::width - 0.1;
  if (width <= 1 && reach + 2 < fits) return FanPath::two_taps;
  return width <= 2 && reach + 3 < fits ? FanPath::three_taps : FanPath::wide;
}

/// Places of the boxes of one line, for each vector of boxes: first cell, and the distance of the first box from it.
struct FanTable {
  int* base;
  Real* fraction;
};

/// Slices of cylinders as the kernels see them: sizes, and what depends on the slice.
struct CylinderShape {
  int num_slices;
  int num_rows;
  SecantRule secant;
  TapLimits limits;
};

/// The values of one view that a back projected pixel sees.
struct RowTaps {
  Real const* sino;  ///< rows of the first channel
  Index channel_stride;
  int count;
  Real weight[max_taps];
};

/// One cylinder between the two halves of its back projection. They are called in turns for two pairs of cylinders:
/// what the first half stores is not read at once, and the second half of others hides its waiting for memory.
struct JoinedRows {
  RowLine line;
  Range vectors;      ///< of slices
  Range row_vectors;  ///< that they are read from
  Real* rows;         ///< [guard + rows + guard], guards are 0
  FanTable table;
  Real const* heights;  ///< [slice] squared, see RowLine
  Real* x;              ///< [slice]; null: nothing to do
};

/// First half: joined.rows = taps . sino, where `joined.vectors`, which are not empty, need them. Weights in `taps`
/// hold a factor width (width^2 for squared weights).
void join_rows(CylinderShape const& shape, RowTaps const& taps, JoinedRows const& joined);

/// Second half, of the same pixel in two views: x[slice] += Vert' rows of the first, then of the second, for the slices
/// of their vectors; with `squared`, the squares of Vert and 1/cos(phi).
void spread_rows(CylinderShape const& shape, JoinedRows const& first, JoinedRows const& second, bool squared);

/// The cylinders of a band.
struct CylinderSource {
  Real const* data;  ///< [block][position][lane]
  Index block_stride;
  SliceBlocks blocks;
  bool in_order;  ///< lane l of block b is slice b * lanes + l

  Real const* at(int block, Index position) const { return data + block * block_stride + position * blocks.lanes; }
  void prefetch(Index position) const {
    for (int b = 0; b < blocks.num_blocks(); ++b)
      for (int l = 0; l < blocks.lanes; l += FanVector::width) __builtin_prefetch(at(b, position) + l, 0, 3);
  }
  /// Copies the slices of the cylinder at `position`.
  void copy(Index position, Real* slices) const;
};

/// A line of forward projection with the boxes of its rows on the axis of slices, see ChunkFans.
struct RowBoxes {
  RowLine line;
  double left, step;
  Real width;
  Range slice_vectors;  ///< that the rows are read from
};

/// A cylinder on its way to the rows of one channel group.
struct ForwardEntry {
  int channel;  ///< first of the taps
  FanPath path;
  Real const* cells;  ///< slices times 1/cos(phi), or ready rows
  FanTable table;
  Real step, inverse_width;
  Range vectors;  ///< of rows that meet slices
  Real weight[max_taps];
};

/// Memory for one entry.
struct EntryMemory {
  Real* cells;   ///< [guard + slices + guard], guards are 0
  Real* rows;    ///< [rows]
  Real* slices;  ///< [slices], may be shared
  FanTable table;
};

/// Fills all of `entry` but the channel, the weights and the vectors, which are not empty.
void prepare_entry(CylinderShape const& shape, CylinderSource const& source, Index position, RowBoxes const& boxes,
                   Real const* heights, EntryMemory const& memory, ForwardEntry& entry);

/// Adds entries whose channels do not descend: sino[(channel + t) * channel_stride + row] += weight[t] * Vert x.
void add_entries(ForwardEntry const* entries, int count, int num_taps, Index channel_stride, Real* sino);

}  // namespace strata::separable
