/// Back projection for geometries that couple slices: channels are joined into a line of rows, which is spread over the
/// cylinder. Sums over views go through the fixed tree of view groups. Host only.
#pragma once

#include "geometries/host_back.hpp"
#include "geometries/separable_chunk.hpp"
#include "geometries/separable_pairs.hpp"
#include "geometries/separable_prefetch.hpp"
#include "geometries/separable_thin.hpp"
#include "geometries/separable_workspace.hpp"

namespace strata::separable {

using host_tiles::Fold;
using host_tiles::fold_leaf;
using host_tiles::Pixels;

/// A sinogram shard [view][channel][row] by plain pointers.
template <class T>
struct Rows {
  T* data;
  Index view_stride;
  Index channel_stride;
  T* view(int v) const { return data + v * view_stride; }
};

inline Rows<Real> rows_of(Sinogram const& sino) {
  return {sino.data(), Index(sino.stride_0()), Index(sino.stride_2())};
}
inline Rows<Real const> rows_of(ConstSinogram const& sino) {
  return {sino.data(), Index(sino.stride_0()), Index(sino.stride_2())};
}

/// Blocks of cylinders [block][position][lane] that take results.
struct CylinderTarget {
  Real* data;
  Index block_stride;
  SliceBlocks slices;
  Range blocks;

  /// Real slices of the blocks.
  Range range() const {
    Range all{0, 0};
    for (int b = blocks.begin; b < blocks.end; ++b) {
      Range const own = slices.slices(b);
      if (own.empty()) continue;
      if (all.empty()) all.begin = own.begin;
      all.end = own.end;
    }
    return all;
  }
  /// Writes x, which begins with slice `first`; padded lanes become 0.
  void write(Index position, Real const* x, int first) const {
    for (int b = blocks.begin; b < blocks.end; ++b) {
      Range const own = slices.slices(b);
      Real* const to = data + (b - blocks.begin) * block_stride + position * slices.lanes;
      Real const* const from = x + (own.begin - first);
      for (int l = 0; l < own.size(); ++l) to[l] = from[l];
      for (int l = own.size(); l < slices.lanes; ++l) to[l] = 0;
    }
  }
};

/// Arrays of one back projection.
template <class G>
struct BackJob {
  G geometry;
  Pixels pixels;
  Rows<Real const> sino;
  CylinderShape cylinder;
  Range vectors;  ///< of slices that are wanted
  bool squared;
};

/// Views that are handled together: their footprints stay in the first-level cache.
constexpr int pass_views = 8;

/// Footprints of a chunk in the views of one pass.
struct BackPass {
  ChunkMemory<back_chunk> view[pass_views];
  Range channels[pass_views];
  Range views{0, 0};
};

/// This pass and the next one.
struct BackMemory {
  BackPass passes[2];
};

template <class G>
void prepare_pass(BackJob<G> const& job, int first, int count, Range views, BackPass& pass) {
  pass.views = views;
  for (int u = 0; u < views.size(); ++u) {
    auto& chunk = pass.view[u];
    prepare_chunk(job.geometry, job.cylinder, views.begin + u, job.pixels.row + first, job.pixels.col + first, count,
                  job.vectors, job.squared ? 2 : 1, chunk);
    pass.channels[u] = channels_of(count, chunk.shape, chunk.base);
  }
}

/// Adds views to the slices of pixels, in the order of calls.
template <class G>
class PixelAdder {
 public:
  PixelAdder(BackJob<G> const& job, BackPass const& pass, Slot const& slot) : job_(job), pass_(pass) {
    for (int i = 0; i < 4; ++i)
      joined_[i / 2][i % 2] = {{}, {}, {}, slot.lines[i], slot.entries[i].table, nullptr, nullptr};
  }
  ~PixelAdder() { flush(); }
  PixelAdder(PixelAdder const&) = delete;
  PixelAdder& operator=(PixelAdder const&) = delete;

  /// Views `u` and `v` (none: -1) of the pass to the slices x of pixel `p`.
  KOKKOS_FORCEINLINE_FUNCTION void add(int u, int v, int p, Real* x) {
    bool const first = join(u, p, x, joined_[next_][0]), second = join(v, p, x, joined_[next_][1]);
    if (!first && !second) return;
    next_ = 1 - next_;
    spread(next_);
  }
  /// Completes what was added.
  void flush() {
    spread(1 - next_);
    joined_[1 - next_][0].x = joined_[1 - next_][1].x = nullptr;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool join(int u, int p, Real* x, JoinedRows& joined) const {
    joined.x = nullptr;
    if (u < 0) return false;
    auto const& chunk = pass_.view[u];
    int const v = pass_.views.begin + u;
    joined.vectors = chunk.reach(p);
    RowTaps taps{
        job_.sino.view(v) + chunk.base[p] * job_.sino.channel_stride, job_.sino.channel_stride, chunk.shape.width, {}};
    Real all = 0;
    for (int t = 0; t < taps.count; ++t) all += taps.weight[t] = chunk.weight[t * back_chunk + p];
    if (all == 0 || joined.vectors.empty()) return false;
    joined.line = chunk.line(p);
    joined.row_vectors = chunk.cells(p);
    joined.heights = job_.geometry.squared_heights(v);
    joined.x = x;
    join_rows(job_.cylinder, taps, joined);
    return true;
  }
  void spread(int i) const { spread_rows(job_.cylinder, joined_[i][0], joined_[i][1], job_.squared); }

  BackJob<G> const& job_;
  BackPass const& pass_;
  JoinedRows joined_[2][2];
  int next_ = 0;
};

/// Neighbours that take the rows of a view together, while these and the sums stay in the first-level cache.
inline int pixel_block(Index length) {
  constexpr Index values = 4096;
  int block = 4;
  while (block < back_chunk && 2 * block * length <= values) block *= 2;
  return block;
}

/// The window of taps that the chunk holds, of view `u`.
template <class G>
void run_thin_view(BackJob<G> const& job, int count, BackPass const& pass, int u, Real* x) {
  int const v = pass.views.begin + u;
  back_thin(job.cylinder, {job.sino.view(v), job.sino.channel_stride, job.geometry.squared_heights(v)}, pass.view[u],
            count, job.squared, x);
}

/// The views of a pass that are not thin, two by two; -1: none.
struct ViewPairs {
  int view[pass_views + 2];
  int size = 0;  ///< pairs
};

/// As run_pass() for pairs of views, first windows.
template <class G>
void run_pairs(BackJob<G> const& job, int count, BackPass& pass, ViewPairs const& pairs, Slot const& slot, Index length,
               Real* from_slice_0, Prefetcher& ahead, PixelAdder<G>& adder) {
  auto const view = [&](int u) {
    int const v = pass.views.begin + u;
    return PairView{job.sino.view(v), job.sino.channel_stride, job.geometry.squared_heights(v), &pass.view[u]};
  };
  bool joined[pass_views] = {};
  for (int i = 0; i < pairs.size; ++i) {
    auto& a = pass.view[pairs.view[2 * i]];
    auto& b = pairs.view[2 * i + 1] < 0 ? a : pass.view[pairs.view[2 * i + 1]];
    joined[i] = pairs_up(a, b);
    if (joined[i]) match_reach(job.cylinder, count, a, b);
  }
  int const block = pixel_block(length);
  for (int begin = 0; begin < count; begin += block) {
    int const end = begin + block < count ? begin + block : count;
    for (int p = begin; p < end; ++p) ahead.step();
    for (int i = 0; i < pairs.size; ++i) {
      int const u = pairs.view[2 * i], v = pairs.view[2 * i + 1];
      if (joined[i]) {
        adder.flush();
        PairView const a = view(u), b = view(v < 0 ? u : v);
        back_pair(job.cylinder, a, v < 0 ? nullptr : &b, {begin, end}, slot, length, from_slice_0);
        continue;
      }
      for (int p = begin; p < end; ++p) adder.add(u, v, p, from_slice_0 + p * length);
    }
  }
}

/// Adds the views of one pass to x [pixel][slice of the job's vectors].
template <class G>
void run_pass(BackJob<G> const& job, int count, BackPass& pass, BackPass const& next, Slot const& slot, Real* x) {
  Index const length = Index(job.vectors.size()) * FanVector::width;
  Real* const from_slice_0 = x - Index(job.vectors.begin) * FanVector::width;
  Prefetcher ahead;
  for (int u = 0; u < next.views.size(); ++u)
    ahead.add(job.sino.view(next.views.begin + u) + next.channels[u].begin * job.sino.channel_stride,
              next.channels[u].size() * job.sino.channel_stride);
  ahead.share(count);
  int windows = 1, num_general = 0;
  ViewPairs pairs;
  for (int u = 0; u < pass.views.size(); ++u) {
    windows = pass.view[u].shape.num_windows > windows ? pass.view[u].shape.num_windows : windows;
    if (pass.view[u].thin == ThinTaps::none)
      pairs.view[num_general++] = u;
    else
      run_thin_view(job, count, pass, u, x);
  }
  pairs.view[num_general] = pairs.view[num_general + 1] = -1;
  pairs.size = (num_general + 1) / 2;
  PixelAdder<G> adder(job, pass, slot);
  if (num_general > 0)
    run_pairs(job, count, pass, pairs, slot, length, from_slice_0, ahead, adder);
  else
    for (int p = 0; p < count; ++p) ahead.step();
  for (int w = 1; w < windows; ++w)
    for (int u = 0; u < pass.views.size(); ++u) {
      auto& chunk = pass.view[u];
      if (w >= chunk.shape.num_windows) continue;
      place_chunk(count, job.geometry.num_channels, chunk.shape, w, job.squared ? 2 : 1, chunk.boxes(), chunk.taps());
      if (chunk.thin != ThinTaps::none) run_thin_view(job, count, pass, u, x);
      for (int p = 0; p < count && chunk.thin == ThinTaps::none; ++p) adder.add(u, -1, p, from_slice_0 + p * length);
    }
}

/// Back projects pixels [first, first + count) over leaves, which are view groups; calls take(leaf) when x
/// [pixel][slice] holds the sum of one.
template <class G, class Take>
void back_project_leaves(BackJob<G> const& job, int first, int count, LocalGroups const& groups, Slot const& slot,
                         Real* x, Take const& take) {
  BackMemory memory;
  Index const size = Index(count) * job.vectors.size() * FanVector::width;
  // Passes end at the ends of leaves.
  auto const pass_at = [&](int leaf, int begin) {
    int const leaf_end = leaf < groups.size() ? groups.begin(leaf + 1) : begin;
    return Range{begin, begin + pass_views < leaf_end ? begin + pass_views : leaf_end};
  };
  int current = 0;
  prepare_pass(job, first, count, pass_at(0, groups.begin(0)), memory.passes[0]);
  for (int leaf = 0; leaf < groups.size();) {
    auto& pass = memory.passes[current];
    auto& next = memory.passes[1 - current];
    Range const views = groups.views(leaf);
    if (pass.views.begin == views.begin)
      for (Index i = 0; i < size; i += FanVector::width) FanVector().store(x + i);
    bool const complete = pass.views.end == views.end;
    int const next_leaf = complete ? leaf + 1 : leaf;
    prepare_pass(job, first, count, pass_at(next_leaf, pass.views.end), next);
    run_pass(job, count, pass, next, slot, x);
    if (complete) take(leaf);
    leaf = next_leaf;
    current = 1 - current;
  }
}

/// Adds what the fold asks for to x, `size` values, and stores the sum: in x when the fold has no other place.
inline void apply_fold(Fold const& fold, Index size, Real* x) {
  if (fold.num_adds == 0 && !fold.store) return;
  Real* const to = fold.store ? fold.store : x;
  for (Index i = 0; i < size; i += FanVector::width) {
    auto sum = FanVector::load(x + i);
    for (int a = 0; a < fold.num_adds; ++a) sum = FanVector::load(fold.add[a] + i) + sum;
    sum.store(to + i);
  }
}

/// Back projects pixels [first, first + count) of the list over view groups.
template <class G>
void back_project_pixels(BackJob<G> const& job, int first, int count, LocalGroups const& groups,
                         CylinderTarget const& target, Slot const& slot) {
  Index const length = Index(job.vectors.size()) * FanVector::width, stride = count * length;
  Real* const x = slot.levels + ViewGroups::max_levels * stride;
  back_project_leaves(job, first, count, groups, slot, x, [&](int leaf) {
    apply_fold(fold_leaf(leaf, groups.size(), slot.levels, stride, Fold()), stride, x);
  });
  for (int p = 0; p < count; ++p)
    target.write(job.pixels.position ? job.pixels.position[first + p] : first + p, x + p * length,
                 job.vectors.begin * FanVector::width);
}

template <class G>
BackJob<G> make_back_job(G const& geometry, SeparableShape const& shape, ConstSinogram const& sino,
                         PixelList const& pixels, Position position, Range slices, bool squared) {
  return {geometry,
          Pixels(pixels, position),
          rows_of(sino),
          shape.cylinder,
          {slices.begin / FanVector::width, vectors_of(slices.end)},
          squared};
}

template <class G>
void back_project_chunks(ExecSpace const& exec, Workspace::Slots const& slots, BackJob<G> const& job,
                         LocalGroups const& groups, CylinderTarget const& target) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  int const num_chunks = (job.pixels.size + back_chunk - 1) / back_chunk;
  Kokkos::parallel_for(
      "strata::back_project", Policy(exec, 0, num_chunks, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int chunk) {
        SlotLease const lease(slots);
        int const first = chunk * back_chunk, left = job.pixels.size - first;
        back_project_pixels(job, first, left < back_chunk ? left : back_chunk, groups, target, lease.slot());
      });
}

/// See Projector::back_project().
template <class G>
void back_project(ExecSpace const& exec, G const& geometry, SeparableShape const& shape, Workspace const& workspace,
                  ConstSinogram const& sino, BackTarget const& target) {
  CylinderTarget const out{target.out.data(), Index(target.out.stride_0()), shape.projector.blocks, target.blocks};
  if (target.blocks.empty() || target.pixels.size() == 0) return;
  auto const job = make_back_job(geometry, shape, sino, target.pixels, target.position, out.range(), target.squared);
  back_project_chunks(exec, workspace.slots(exec), job, local_groups(target.node, shape.projector), out);
}

}  // namespace strata::separable
