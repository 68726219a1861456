/// Back projection of some pixels from two views at once: what is the same for the pixels of a chunk is decided once,
/// so that the loops over rows and slices of neighbours follow each other without branches. Host only.
#pragma once

#include "geometries/separable_chunk.hpp"
#include "geometries/separable_workspace.hpp"

namespace strata::separable {

using BackChunk = ChunkMemory<back_chunk>;

/// Whether back_pair() is for these views of a chunk.
bool pairs_up(BackChunk const& a, BackChunk const& b);

/// Gives both views, which may be one, the same reach, none where they weigh nothing: what back_pair() needs.
void match_reach(CylinderShape const& shape, int count, BackChunk& a, BackChunk& b);

/// One view of a pair.
struct PairView {
  Real const* sino;  ///< [channel][row]
  Index channel_stride;
  Real const* heights;  ///< [slice] squared, see RowLine
  BackChunk const* chunk;
};

/// x[pixel * stride + slice] += A' of view a, then of view b unless that is null, for `pixels` of the chunk; the same
/// bits as join_rows() and spread_rows().
void back_pair(CylinderShape const& shape, PairView const& a, PairView const* b, Range pixels, Slot const& slot,
               Index stride, Real* x);

}  // namespace strata::separable
