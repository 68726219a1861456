/// Host tiles, part 3: back projection of one chunk of pixels. The sums over views are kept in registers for up to
/// `max_views` views and go to memory through the fixed tree of view groups.
#pragma once

#include "core/placement/view_groups.hpp"
#include "geometries/host_taps.hpp"
#include "geometries/lane_vector.hpp"

namespace strata::host_tiles {

/// Where the groups of a pass begin; view 0 is the first of the pass.
struct GroupBounds {
  static constexpr int max_groups = 4;
  int begin[max_groups + 1] = {};
};

/// One pass over a chunk: some views, one window of taps.
struct BackPass {
  static constexpr int max_views = 8;

  Range views;  ///< of the device
  TapWindow window;
  GroupBounds groups;  ///< to be joined
};

/// Taps of a chunk in the views of one pass.
template <int NT>
struct PassTaps {
  ChunkTaps<NT> view[BackPass::max_views];
  Range channels[BackPass::max_views];
  GroupBounds groups;
  int num_views = 0;
};

template <int NT, class G>
void prepare_pass(G const& geometry, BackPass const& pass, Pixels const& pixels, int chunk, bool squared,
                  PassTaps<NT>& taps) {
  int const count = pixels.count(chunk);
  taps.num_views = pass.views.size();
  taps.groups = pass.groups;
  for (int u = 0; u < taps.num_views; ++u) {
    prepare_taps(geometry, pass.views.begin + u, pixels, chunk * chunk_size, count, pass.window, squared, taps.view[u]);
    taps.channels[u] = channels_of(taps.view[u], count);
  }
}

/// Sum over views [begin, end) of the pass at pixel p, one slice block. `sino` is that block of the pass's first view.
template <int NT, int NV>
KOKKOS_FORCEINLINE_FUNCTION BlockVector<NV> sum_views(PassTaps<NT> const& taps, int p, int begin, int end,
                                                      Real const* __restrict sino, Index view_stride) {
  constexpr Index lanes = NV * LaneVector::width;
  BlockVector<NV> even, odd;  // two sets: shorter chains of dependent additions
  for (int u = begin; u < end; ++u) {
    auto const& view = taps.view[u];
    Real const* const from = sino + u * view_stride + view.base[p] * lanes;
#pragma GCC unroll 4
    for (int t = 0; t < NT; ++t) (t % 2 == 0 ? even : odd).add(view.weight[t][p], from + t * lanes);
  }
  return NT == 1 ? even : even + odd;
}

/// As sum_views(), for groups [first, first + 2^J) of a pass: each group is summed by itself and the sums are joined as
/// in the tree. Groups beyond the pass are left out. `groups` is a copy on the stack, which stores of results cannot
/// change.
template <int J, int first, int NT, int NV>
KOKKOS_FORCEINLINE_FUNCTION BlockVector<NV> sum_groups(PassTaps<NT> const& taps, GroupBounds const& groups, int p,
                                                       Real const* __restrict sino, Index view_stride) {
  if constexpr (J == 0) {
    return sum_views<NT, NV>(taps, p, first == 0 ? 0 : groups.begin[first], groups.begin[first + 1], sino, view_stride);
  } else {
    constexpr int right = first + (1 << (J - 1));
    auto sum = sum_groups<J - 1, first, NT, NV>(taps, groups, p, sino, view_stride);
    if (groups.begin[right] < groups.begin[GroupBounds::max_groups])
      sum = sum + sum_groups<J - 1, right, NT, NV>(taps, groups, p, sino, view_stride);
    return sum;
  }
}

/// Where the sum of a pass goes: `add` are the values to be added on its left, in this order, and `store` takes the
/// result; all of them [pixel][lane] of one block.
struct Fold {
  Real const* add[ViewGroups::max_levels + 1];
  int num_adds = 0;
  Real* store = nullptr;
  int const* position = nullptr;  ///< of pixel p in `store`; null: p
};

/// Sets up the fold of leaf `leaf` of `num_leaves`: the leaves are added like a binary counter counts, so that the
/// value of a tree node does not depend on what else is summed. The last leaf goes to `out`.
inline Fold fold_leaf(int leaf, int num_leaves, Real* levels, Index level_stride, Fold const& out) {
  bool const last = leaf + 1 == num_leaves;
  Fold fold = out;
  fold.num_adds = 0;
  int level = 0;
  for (; leaf >> level; ++level) {
    if ((leaf >> level) & 1)
      fold.add[fold.num_adds++] = levels + level * level_stride;
    else if (!last)
      break;
  }
  if (!last) {
    fold.store = levels + level * level_stride;
    fold.position = nullptr;
  }
  return fold;
}

/// Rows of the sinogram that the next pass will read, handed out in equal shares per pixel.
template <int NT, int NV>
class Prefetcher {
 public:
  Prefetcher(PassTaps<NT> const& next, Real const* sino, Index view_stride, int num_pixels)
      : next_(next), sino_(sino), view_stride_(view_stride) {
    int rows = 0;
    for (int u = 0; u < next.num_views; ++u) rows += next.channels[u].size();
    per_pixel_ = (rows + num_pixels - 1) / num_pixels;
    if (next.num_views > 0) channel_ = next.channels[0].begin;
  }
  KOKKOS_FORCEINLINE_FUNCTION void step() {
    for (int i = 0; i < per_pixel_ && view_ < next_.num_views; ++i) {
      Real const* const row = sino_ + view_ * view_stride_ + Index(channel_) * (NV * LaneVector::width);
      for (int q = 0; q < NV; ++q) __builtin_prefetch(row + q * LaneVector::width, 0, 2);
      if (++channel_ == next_.channels[view_].end && ++view_ < next_.num_views) channel_ = next_.channels[view_].begin;
    }
  }

 private:
  PassTaps<NT> const& next_;
  Real const* sino_;
  Index view_stride_;
  int per_pixel_ = 0;
  int view_ = 0;
  int channel_ = 0;
};

/// Runs one pass over pixels [begin, end) of the chunk, one slice block.
template <int J, int NT, int NV>
void run_pass(PassTaps<NT> const& taps, int begin, int end, Real const* __restrict sino, Index view_stride,
              Fold const& fold, Prefetcher<NT, NV>& ahead) {
  constexpr Index lanes = NV * LaneVector::width;
  GroupBounds const groups = taps.groups;
  for (int p = begin; p < end; ++p) {
    ahead.step();
    auto sum = sum_groups<J, 0, NT, NV>(taps, groups, p, sino, view_stride);
    for (int i = 0; i < fold.num_adds; ++i) sum = BlockVector<NV>::load(fold.add[i] + p * lanes) + sum;
    sum.store(fold.store + (fold.position ? fold.position[p] : p) * lanes);
  }
}

}  // namespace strata::host_tiles
