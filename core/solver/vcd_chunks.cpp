// Subsets that are so large that several devices exchange them in chunks: the projection of the direction is kept
// instead of its cylinders.
#include <algorithm>

#include "core/solver/vcd_workspace.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

/// chunk[block][entry][lane] = whole[block][first + entry][lane].
void take_chunk(ExecSpace const& exec, ConstCylinders const& whole, int first, Cylinders const& chunk) {
  Index const size = Index(chunk.extent(1)) * chunk.extent_int(2);
  int const lanes = chunk.extent_int(2);
  Kokkos::parallel_for(
      "strata::take_chunk", FlatPolicy(exec, 0, chunk.extent_int(0) * size), KOKKOS_LAMBDA(Index i) {
        int const block = static_cast<int>(i / size), entry = static_cast<int>(i % size / lanes);
        int const lane = static_cast<int>(i % lanes);
        chunk(block, entry, lane) = whole(block, first + entry, lane);
      });
}

/// whole[block][first + entry][lane] = chunk[block][entry][lane].
void put_chunk(ExecSpace const& exec, ConstCylinders const& chunk, int first, Cylinders const& whole) {
  Index const size = Index(chunk.extent(1)) * chunk.extent_int(2);
  int const lanes = chunk.extent_int(2);
  Kokkos::parallel_for(
      "strata::put_chunk", FlatPolicy(exec, 0, chunk.extent_int(0) * size), KOKKOS_LAMBDA(Index i) {
        int const block = static_cast<int>(i / size), entry = static_cast<int>(i % size / lanes);
        int const lane = static_cast<int>(i % lanes);
        whole(block, first + entry, lane) = chunk(block, entry, lane);
      });
}

}  // namespace

/// back_projection() = A'(w e) at the subset, after the pending step has been taken.
void VCDSolver::back_project_in_chunks(SubsetPlan::Subset const& subset) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  NodeReduction const& nodes = model_.nodes();
  int const num_blocks = blocks.num_blocks();
  descend_pending();
  for (int begin = 0; begin < subset.size(); begin += work_->sizes.chunk) {
    int const size = std::min(work_->sizes.chunk, subset.size() - begin);
    std::vector<Cylinders> partials, sums;
    for (int d = 0; d < model_.devices().size(); ++d) {
      auto const& work = work_->devices[d];
      partials.push_back(work.partial.cylinders(nodes.num_nodes(d) * num_blocks, size, blocks.lanes));
      sums.push_back(work.staging.cylinders(nodes.num_nodes() * blocks.per_shard, size, blocks.lanes));
    }
    model_.devices().for_each([&](int d, ExecSpace const& exec) {
      PixelList const pixels = part_of(subset.pixels[d], begin, begin + size);
      for (int n = 0; n < nodes.num_nodes(d); ++n)
        model_.projector(d).back_project(exec, nodes.nodes(d)[n], state_.weighted_error[d], 1, {0, num_blocks}, pixels,
                                         Position::by_entry,
                                         block_range(partials[d], {n * num_blocks, (n + 1) * num_blocks}));
    });
    nodes.reduce(model_.devices(), num_blocks, partials, work_->own_blocks, sums);
    model_.devices().for_each([&](int d, ExecSpace const& exec) {
      put_chunk(exec, block_range(sums[d], {0, blocks.per_shard}), begin, work_->back_projection(d, subset.size()));
    });
  }
}

/// projection() = A d for the views of each device.
void VCDSolver::project_in_chunks(SubsetPlan::Subset const& subset) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  for (int begin = 0; begin < subset.size(); begin += work_->sizes.chunk) {
    int const size = std::min(work_->sizes.chunk, subset.size() - begin);
    std::vector<Cylinders> own, gathered;
    for (auto const& work : work_->devices) {
      own.push_back(work.partial.cylinders(blocks.per_shard, size, blocks.lanes));
      gathered.push_back(work.staging.cylinders(blocks.num_blocks(), size, blocks.lanes));
    }
    model_.devices().for_each([&](int d, ExecSpace const& exec) {
      take_chunk(exec, work_->devices[d].direction.cylinders(blocks.per_shard, subset.size(), blocks.lanes), begin,
                 own[d]);
    });
    all_gather(model_.devices(), blocks, own, gathered);
    model_.devices().for_each([&](int d, ExecSpace const& exec) {
      CylinderBand const band{{0, blocks.num_blocks()},
                              part_of(subset.pixels[d], begin, begin + size),
                              Position::by_entry,
                              gathered[d],
                              begin > 0};
      model_.projector(d).forward_project(exec, band, work_->projection(d));
    });
  }
}

}  // namespace strata
