/// Host tiles: descend_and_back_project(), one sweep over the sinogram.
#pragma once

#include "geometries/host_kernels_descend.hpp"

namespace strata::host_tiles {

/// One task is one view group: its views are updated, and back projected while they are in cache.
///   sums  [group of the device][block][entry][lane], overwritten
template <int NT, int NV, class G>
void descend_and_sum_groups(ExecSpace const& exec, Workspace::Slots const& slots, ForwardJob<G> const& step_job,
                            StepArrays const& step, BackJob<G> const& job, int num_blocks, int num_groups) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::descend_and_sum_groups", Policy(exec, 0, num_groups, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int group) {
        SlotLease const slot(slots);
        BackJob<G> mine = job;
        mine.plan = LeafPlan(job.plan.groups.only(group), job.plan.taps, 0);
        mine.out = job.out.view(group);
        if (step_job.pixels.size > 0)
          for (int v = mine.plan.leaf(0).begin; v < mine.plan.leaf(0).end; ++v)
            descend_view<NT, NV>(step_job, step, v, slot);
        for (int chunk = 0; chunk < job.pixels.num_chunks(); ++chunk)
          for (int b = 0; b < num_blocks; b += Workspace::max_task_blocks) {
            int const last = b + Workspace::max_task_blocks;
            back_project_chunk<0, NT, NV>(mine, chunk, b, last < num_blocks ? last : num_blocks, slot.levels());
          }
      });
}

/// out [block][entry][lane] = the tree sum over groups [first_group, first_group + num_groups) of `sums`.
template <int NV>
void join_groups(ExecSpace const& exec, Blocks<Real const> const& sums, int first_group, int num_groups,
                 int num_entries, int num_blocks, Blocks<Real> const& out) {
  constexpr int lanes = NV * LaneVector::width;
  constexpr int tile = 64;
  int const tiles = (num_entries + tile - 1) / tile;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::join_groups", Policy(exec, 0, tiles * num_blocks, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int task) {
        alignas(64) Real levels[ViewGroups::max_levels * tile * lanes];
        int const b = task / tiles, begin = task % tiles * tile;
        int const count = num_entries - begin < tile ? num_entries - begin : tile;
        Fold to_out;
        to_out.store = out.block(b) + Index(begin) * lanes;
        for (int g = 0; g < num_groups; ++g) {
          Fold const fold = fold_leaf(g, num_groups, levels, tile * lanes, to_out);
          Real const* const from = sums.view(first_group + g).block(b) + Index(begin) * lanes;
          for (int p = 0; p < count; ++p) {
            auto sum = BlockVector<NV>::load(from + p * lanes);
            for (int i = 0; i < fold.num_adds; ++i) sum = BlockVector<NV>::load(fold.add[i] + p * lanes) + sum;
            sum.store(fold.store + p * lanes);
          }
        }
      });
}

template <class G>
void Kernels<G>::descend_and_back_project(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                                          Workspace const& workspace, PendingStep const& step,
                                          ConstSinogram const& weights, Sinogram const& weighted_error,
                                          std::vector<TreeNode> const& nodes, PixelList const& pixels,
                                          Cylinders const& out) {
  int const num_blocks = shape.blocks.num_blocks(), num_entries = pixels.size(), num_lanes = shape.blocks.lanes;
  if (nodes.empty()) return;
  Range const groups{groups_of(nodes.front(), shape.groups).begin, groups_of(nodes.back(), shape.groups).end};
  Index const block_size = Index(num_entries) * num_lanes, group_size = num_blocks * block_size;
  if (groups.size() * group_size > Index(workspace.group_sums().extent(0))) {
    descend(exec, geometry, shape, workspace, step, weights, weighted_error);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      back_project(exec, geometry, shape, workspace, weighted_error,
                   {nodes[n], {0, num_blocks}, pixels, Position::by_entry, blocks_of_node(out, n, num_blocks), false});
    return;
  }
  ForwardJob<G> const step_job(geometry, shape, step.direction);
  StepArrays const arrays = step_arrays(workspace, shape, step, weights, weighted_error);
  Real* const sums = workspace.group_sums().data();
  BackJob<G> const job{geometry,
                       Pixels(pixels, Position::by_entry),
                       LeafPlan({shape.groups, groups, shape.views.begin}, geometry.taps, 0),
                       blocks_of(ConstSinogram(weighted_error), 0),
                       {sums, block_size, group_size},
                       false};
  auto const slots = workspace.slots(exec);
  with_taps_and_vectors(geometry.taps.width, num_lanes / LaneVector::width, [&](auto taps, auto vectors) {
    descend_and_sum_groups<taps(), vectors()>(exec, slots, step_job, arrays, job, num_blocks, groups.size());
  });
  with_number(num_lanes / LaneVector::width, [&](auto vectors) {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      Range const own = groups_of(nodes[n], shape.groups);
      Blocks<Real> const target{out.data() + Index(n) * num_blocks * Index(out.stride_0()), Index(out.stride_0())};
      join_groups<vectors()>(exec, Blocks<Real const>{sums, block_size, group_size}, own.begin - groups.begin,
                             own.size(), num_entries, num_blocks, target);
    }
  });
}

}  // namespace strata::host_tiles
