/// Host tiles: back_project().
#pragma once

#include "geometries/dispatch.hpp"
#include "geometries/host_back.hpp"
#include "geometries/host_kernels.hpp"

namespace strata::host_tiles {

/// How the views of a node are cut into leaves, and leaves into passes. Depends on the number of all views alone.
struct LeafPlan {
  LocalGroups groups;  ///< of the node
  int join;            ///< a leaf is 2^join view groups, joined in registers
  int num_leaves;
  TapShape taps;

  /// \param max_join 0: leaves are view groups
  LeafPlan(LocalGroups const& node_groups, TapShape const& tap_shape, int max_join)
      : groups(node_groups), join(0), taps(tap_shape) {
    if (taps.num_windows == 1)
      while (join < max_join && groups.all.longest_run(2 << join) <= BackPass::max_views) ++join;
    num_leaves = (groups.size() + (1 << join) - 1) >> join;
  }
  /// First view of group `g` of leaf `i`; where the leaf ends for groups beyond it.
  int group_begin(int i, int g) const {
    int const group = (i << join) + g;
    return groups.begin(group < groups.size() ? group : groups.size());
  }
  Range leaf(int i) const { return {group_begin(i, 0), group_begin(i, 1 << join)}; }
  int num_passes(int leaf_index) const {
    return (leaf(leaf_index).size() + BackPass::max_views - 1) / BackPass::max_views * taps.num_windows;
  }
  BackPass pass(int leaf_index, int i) const {
    Range const all = leaf(leaf_index);
    int const begin = all.begin + i / taps.num_windows * BackPass::max_views, end = begin + BackPass::max_views;
    BackPass part{{begin, end < all.end ? end : all.end}, taps.window(i % taps.num_windows), {}};
    for (int g = 1; g <= GroupBounds::max_groups; ++g)
      part.groups.begin[g] = g < 1 << join ? group_begin(leaf_index, g) - begin : part.views.size();
    return part;
  }
};

/// Arrays of one back projection by plain pointers.
template <class G>
struct BackJob {
  G geometry;
  Pixels pixels;
  LeafPlan plan;
  Blocks<Real const> sino;  ///< first block of the target
  Blocks<Real> out;
  bool squared;
};

/// Level buffers [level][block][pixel][lane] of one task; the last level holds sums of unfinished leaves.
struct Levels {
  Real* data;
  Index block_size;  ///< pixels * lanes of one block
  int num_blocks;
  Index level_stride() const { return block_size * num_blocks; }
  Real* block(int b) const { return data + b * block_size; }
  Real* unfinished(int b) const { return block(b) + ViewGroups::max_levels * level_stride(); }
};

/// Fold of pass `i` of leaf `leaf` in block b: within a leaf passes are added in order, between leaves as in the tree.
inline Fold fold_pass(LeafPlan const& plan, int leaf, int i, Levels const& levels, int b, Fold const& out) {
  Fold fold = fold_leaf(leaf, plan.num_leaves, levels.block(b), levels.level_stride(), out);
  if (i + 1 < plan.num_passes(leaf)) {
    fold.num_adds = 0;
    fold.store = levels.unfinished(b);
    fold.position = nullptr;
  }
  if (i > 0) {
    for (int k = fold.num_adds; k > 0; --k) fold.add[k] = fold.add[k - 1];
    fold.add[0] = levels.unfinished(b);
    ++fold.num_adds;
  }
  return fold;
}

/// Back projects one chunk of pixels, blocks [begin, end) of the job. While a pass is summed, the rows of the next one
/// are fetched.
template <int J, int NT, int NV, class G>
void back_project_chunk(BackJob<G> const& job, int chunk, int begin, int end, Real* level_data) {
  constexpr Index lanes = NV * LaneVector::width;
  PassTaps<NT> taps[2];
  Levels const levels{level_data, chunk_size * lanes, end - begin};
  int const first = chunk * chunk_size, count = job.pixels.count(chunk);
  int current = 0;
  prepare_pass(job.geometry, job.plan.pass(0, 0), job.pixels, chunk, job.squared, taps[0]);
  for (int leaf = 0; leaf < job.plan.num_leaves; ++leaf)
    for (int i = 0; i < job.plan.num_passes(leaf); ++i) {
      BackPass const pass = job.plan.pass(leaf, i);
      BackPass next{};
      bool const same_leaf = i + 1 < job.plan.num_passes(leaf);
      if (same_leaf || leaf + 1 < job.plan.num_leaves)
        next = same_leaf ? job.plan.pass(leaf, i + 1) : job.plan.pass(leaf + 1, 0);
      prepare_pass(job.geometry, next, job.pixels, chunk, job.squared, taps[1 - current]);
      for (int b = begin; b < end; ++b) {
        Fold out;
        out.store = job.out.block(b) + (job.pixels.position ? 0 : first * lanes);
        out.position = job.pixels.position ? job.pixels.position + first : nullptr;
        Fold const fold = fold_pass(job.plan, leaf, i, levels, b - begin, out);
        Prefetcher<NT, NV> ahead(taps[1 - current], job.sino.view(next.views.begin).block(b), job.sino.view_stride,
                                 count);
        run_pass<J>(taps[current], 0, count, job.sino.view(pass.views.begin).block(b), job.sino.view_stride, fold,
                    ahead);
      }
      current = 1 - current;
    }
}

/// One task is one chunk of pixels and a few blocks; it owns what it writes.
template <int J, int NT, int NV, class G>
void back_project_chunks(ExecSpace const& exec, Workspace::Slots const& slots, BackJob<G> const& job, int num_blocks) {
  int const parts = (num_blocks + Workspace::max_task_blocks - 1) / Workspace::max_task_blocks;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::back_project", Policy(exec, 0, job.pixels.num_chunks() * parts, Kokkos::ChunkSize(1)),
      KOKKOS_LAMBDA(int task) {
        SlotLease const slot(slots);
        int const begin = task % parts * Workspace::max_task_blocks;
        int const last = begin + Workspace::max_task_blocks;
        back_project_chunk<J, NT, NV>(job, task / parts, begin, last < num_blocks ? last : num_blocks, slot.levels());
      });
}

/// Calls the kernel for the job's taps, vectors and leaf size.
template <class G>
void run_back_job(ExecSpace const& exec, Workspace::Slots const& slots, BackJob<G> const& job, int num_blocks,
                  int lanes) {
  with_taps_and_vectors(job.geometry.taps.width, lanes / LaneVector::width, [&](auto taps, auto vectors) {
    switch (job.plan.join) {
      case 0:
        return back_project_chunks<0, taps(), vectors()>(exec, slots, job, num_blocks);
      case 1:
        return back_project_chunks<1, taps(), vectors()>(exec, slots, job, num_blocks);
      default:
        return back_project_chunks<2, taps(), vectors()>(exec, slots, job, num_blocks);
    }
  });
}

template <class G>
void Kernels<G>::back_project(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                              Workspace const& workspace, ConstSinogram const& sino, BackTarget const& target) {
  int const num_blocks = target.blocks.size();
  if (num_blocks == 0 || target.pixels.size() == 0) return;
  BackJob<G> const job{geometry,
                       Pixels(target.pixels, target.position),
                       LeafPlan(local_groups(target.node, shape), geometry.taps, 2),
                       blocks_of(sino, target.blocks.begin),
                       {target.out.data(), Index(target.out.stride_0())},
                       target.squared};
  run_back_job(exec, workspace.slots(exec), job, num_blocks, shape.blocks.lanes);
}

}  // namespace strata::host_tiles
