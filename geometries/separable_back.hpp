/// Back projection for geometries that couple slices: channels are joined into a line of rows, which is spread over the
/// cylinder. Sums over views go through the fixed tree of view groups. Host only.
#pragma once

#include "geometries/host_back.hpp"
#include "geometries/separable_chunk.hpp"
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
                  job.squared ? 2 : 1, chunk);
    pass.channels[u] = channels_of(count, chunk.shape, chunk.base);
  }
}

/// Fetches the rows that the next pass will read into the second-level cache, in equal shares per pixel.
class Prefetcher {
 public:
  Prefetcher(BackPass const& next, Rows<Real const> const& sino, int row_vectors, int num_pixels)
      : next_(next), sino_(sino), row_vectors_(row_vectors) {
    int lines = 0;
    for (int u = 0; u < next.views.size(); ++u) lines += next.channels[u].size() * row_vectors;
    per_pixel_ = (lines + num_pixels - 1) / num_pixels;
    start_view();
  }
  void step() {
    for (int i = 0; i < per_pixel_ && at_; ++i) {
      __builtin_prefetch(at_, 0, 2);
      at_ += FanVector::width;
      if (at_ == end_) {
        ++view_;
        start_view();
      }
    }
  }

 private:
  void start_view() {
    at_ = nullptr;
    if (view_ >= next_.views.size()) return;
    Range const channels = next_.channels[view_];
    at_ = sino_.view(next_.views.begin + view_) + channels.begin * sino_.channel_stride;
    end_ = at_ + channels.size() * Index(row_vectors_) * FanVector::width;
  }

  BackPass const& next_;
  Rows<Real const> const& sino_;
  int row_vectors_;
  int per_pixel_ = 0;
  int view_ = 0;
  Real const* at_ = nullptr;
  Real const* end_ = nullptr;
};

/// Adds views to the slices of pixels, in the order of calls.
template <class G>
class PixelAdder {
 public:
  PixelAdder(BackJob<G> const& job, BackPass const& pass, Slot const& slot) : job_(job), pass_(pass) {
    for (int i = 0; i < 2; ++i) joined_[i] = {{}, {}, slot.lines[i], slot.entries[i].table, nullptr, nullptr};
  }
  ~PixelAdder() { spread(joined_[1 - next_]); }
  PixelAdder(PixelAdder const&) = delete;
  PixelAdder& operator=(PixelAdder const&) = delete;

  /// View `u` of the pass to the slices x of pixel `p`.
  KOKKOS_FORCEINLINE_FUNCTION void add(int u, int p, Real* x) {
    auto const& chunk = pass_.view[u];
    Range const reach = chunk.reach(p);
    Range const vectors{reach.begin > job_.vectors.begin ? reach.begin : job_.vectors.begin,
                        reach.end < job_.vectors.end ? reach.end : job_.vectors.end};
    int const v = pass_.views.begin + u;
    RowTaps taps{
        job_.sino.view(v) + chunk.base[p] * job_.sino.channel_stride, job_.sino.channel_stride, chunk.shape.width, {}};
    Real all = 0;
    for (int t = 0; t < taps.count; ++t) all += taps.weight[t] = chunk.weight[t * back_chunk + p];
    if (all == 0 || vectors.empty()) return;
    auto& joined = joined_[next_];
    joined.line = chunk.line(p);
    joined.vectors = vectors;
    joined.heights = job_.geometry.squared_heights(v);
    joined.x = x;
    join_rows(job_.cylinder, taps, joined);
    next_ = 1 - next_;
    spread(joined_[next_]);
  }

 private:
  void spread(JoinedRows const& joined) const {
    if (joined.x) spread_rows(job_.cylinder, joined, job_.squared);
  }

  BackJob<G> const& job_;
  BackPass const& pass_;
  JoinedRows joined_[2];
  int next_ = 0;
};

/// Neighbours that take the rows of a view together, while these and the sums stay in the first-level cache.
inline int pixel_block(Index length) {
  constexpr Index values = 4096;
  int block = 4;
  while (block < back_chunk && 2 * block * length <= values) block *= 2;
  return block;
}

/// Adds the views of one pass to x [pixel][slice of the job's vectors].
template <class G>
void run_pass(BackJob<G> const& job, int count, BackPass& pass, BackPass const& next, Slot const& slot, Real* x) {
  Index const length = Index(job.vectors.size()) * FanVector::width;
  Real* const from_slice_0 = x - Index(job.vectors.begin) * FanVector::width;
  int windows = 1;
  for (int u = 0; u < pass.views.size(); ++u)
    windows = pass.view[u].shape.num_windows > windows ? pass.view[u].shape.num_windows : windows;
  Prefetcher ahead(next, job.sino, vectors_of(job.cylinder.num_rows), count);
  PixelAdder<G> adder(job, pass, slot);
  int const block = pixel_block(length);
  for (int begin = 0; begin < count; begin += block) {
    int const end = begin + block < count ? begin + block : count;
    for (int p = begin; p < end; ++p) ahead.step();
    for (int u = 0; u < pass.views.size(); ++u)
      for (int p = begin; p < end; ++p) adder.add(u, p, from_slice_0 + p * length);
  }
  for (int w = 1; w < windows; ++w)
    for (int u = 0; u < pass.views.size(); ++u) {
      auto& chunk = pass.view[u];
      if (w >= chunk.shape.num_windows) continue;
      place_chunk(count, job.geometry.num_channels, chunk.shape, w, job.squared ? 2 : 1, chunk.boxes(), chunk.taps());
      for (int p = 0; p < count; ++p) adder.add(u, p, from_slice_0 + p * length);
    }
}

/// Back projects pixels [first, first + count) over leaves of `group_size` views; calls take(leaf, x) with the sum of
/// each, x [pixel][slice].
template <class G, class Take>
void back_project_leaves(BackJob<G> const& job, int first, int count, Range views, int group_size, Slot const& slot,
                         Real* x, Take const& take) {
  BackMemory memory;
  Index const size = Index(count) * job.vectors.size() * FanVector::width;
  // Passes end at the ends of leaves.
  auto const pass_at = [&](int begin) {
    int const leaf_end = views.begin + ((begin - views.begin) / group_size + 1) * group_size;
    int const end = begin + pass_views < leaf_end ? begin + pass_views : leaf_end;
    return Range{begin, end < views.end ? end : views.end};
  };
  int current = 0;
  prepare_pass(job, first, count, pass_at(views.begin), memory.passes[0]);
  for (int v = views.begin; v < views.end;) {
    auto& pass = memory.passes[current];
    auto& next = memory.passes[1 - current];
    if ((v - views.begin) % group_size == 0)
      for (Index i = 0; i < size; i += FanVector::width) FanVector().store(x + i);
    v = pass.views.end;
    prepare_pass(job, first, count, v < views.end ? pass_at(v) : Range{v, v}, next);
    run_pass(job, count, pass, next, slot, x);
    if ((v - views.begin) % group_size == 0 || v == views.end) take((v - 1 - views.begin) / group_size);
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

/// Back projects pixels [first, first + count) of the list over view groups of `group_size` views.
template <class G>
void back_project_pixels(BackJob<G> const& job, int first, int count, Range views, int group_size,
                         CylinderTarget const& target, Slot const& slot) {
  Index const length = Index(job.vectors.size()) * FanVector::width, stride = count * length;
  Real* const x = slot.levels + ViewGroups::max_levels * stride;
  int const num_leaves = (views.size() + group_size - 1) / group_size;
  back_project_leaves(job, first, count, views, group_size, slot, x, [&](int leaf) {
    apply_fold(fold_leaf(leaf, num_leaves, slot.levels, stride, Fold()), stride, x);
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
void back_project_chunks(ExecSpace const& exec, Workspace::Slots const& slots, BackJob<G> const& job, Range views,
                         int group_size, CylinderTarget const& target) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  int const num_chunks = (job.pixels.size + back_chunk - 1) / back_chunk;
  Kokkos::parallel_for(
      "strata::back_project", Policy(exec, 0, num_chunks, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int chunk) {
        SlotLease const lease(slots);
        int const first = chunk * back_chunk, left = job.pixels.size - first;
        back_project_pixels(job, first, left < back_chunk ? left : back_chunk, views, group_size, target, lease.slot());
      });
}

/// See Projector::back_project().
template <class G>
void back_project(ExecSpace const& exec, G const& geometry, SeparableShape const& shape, Workspace const& workspace,
                  ConstSinogram const& sino, BackTarget const& target) {
  CylinderTarget const out{target.out.data(), Index(target.out.stride_0()), shape.projector.blocks, target.blocks};
  if (target.blocks.empty() || target.pixels.size() == 0) return;
  auto const job = make_back_job(geometry, shape, sino, target.pixels, target.position, out.range(), target.squared);
  back_project_chunks(exec, workspace.slots(exec), job, local_views(target.node, shape.projector),
                      shape.projector.groups.group_size, out);
}

}  // namespace strata::separable
