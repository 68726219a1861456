// Subsets that are so large that several devices exchange them in chunks: the projection of the direction is kept
// instead of its cylinders. Where chunks have two places each, one is moved while another one is projected.
#include <algorithm>

#include "core/placement/per_device.hpp"
#include "core/solver/vcd_workspace.hpp"

namespace strata {

/// Entries [begin, begin + size) of a subset.
struct VCDSolver::Chunk {
  int begin, size, turn;
};

VCDSolver::Chunk VCDSolver::chunk_at(SubsetPlan::Subset const& subset, int begin) const {
  auto const& sizes = work_->sizes;
  return {begin, std::min(sizes.chunk, subset.size() - begin), begin / sizes.chunk % sizes.turns};
}

/// Every slice owner adds up the partial sums of a chunk, which are complete, to its part of back_projection().
void VCDSolver::add_up(SubsetPlan::Subset const& subset, Chunk const& chunk) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  NodeReduction const& nodes = model_.nodes();
  DeviceSet const& devices = model_.devices();
  auto const partials =
      per_local_device(devices, [&](int d) { return work_->partial(d, nodes.num_nodes(d), chunk.size, chunk.turn); });
  auto const sums = per_local_device(
      devices, [&](int d) { return from_position(work_->back_projection(d, subset.size()), chunk.begin); });
  std::vector<Cylinders> staging;
  if (!devices.share_memory())
    staging = per_local_device(devices, [&](int d) {
      return work_->devices[d].staging.cylinders(nodes.num_nodes() * blocks.per_shard, chunk.size, blocks.lanes);
    });
  nodes.reduce_to_places(devices, blocks, partials, {sums, {}}, staging, Stream::transfer);
}

/// back_projection() = A'(w e) at the subset, after the pending step has been taken.
void VCDSolver::back_project_in_chunks(SubsetPlan::Subset const& subset) {
  NodeReduction const& nodes = model_.nodes();
  int const num_blocks = model_.recon_placement().blocks().num_blocks();
  bool const overlap = work_->sizes.turns > 1;
  descend_pending();
  model_.devices().fence("vcd: the back projection is written on the other stream", Stream::compute);
  Chunk last{0, 0, 0};
  for (int begin = 0; begin < subset.size(); begin += work_->sizes.chunk) {
    Chunk const chunk = chunk_at(subset, begin);
    model_.devices().for_each([&](int d, ExecSpace const& exec) {
      PixelList const pixels = part_of(subset.pixels[d], begin, begin + chunk.size);
      Cylinders const partial = work_->partial(d, nodes.num_nodes(d), chunk.size, chunk.turn);
      for (int n = 0; n < nodes.num_nodes(d); ++n)
        model_.projector(d).back_project(exec, nodes.nodes(d)[n], state_.weighted_error[d], 1, {0, num_blocks}, pixels,
                                         Position::by_entry,
                                         block_range(partial, {n * num_blocks, (n + 1) * num_blocks}));
    });
    if (overlap && last.size > 0) add_up(subset, last);
    model_.devices().fence("vcd: the sums of a chunk are complete", Stream::compute);
    if (!overlap) add_up(subset, chunk);
    last = chunk;
  }
  if (overlap) add_up(subset, last);
}

/// Every view owner gets the whole cylinders of a chunk of the direction.
void VCDSolver::collect(SubsetPlan::Subset const& subset, Chunk const& chunk) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  DeviceSet const& devices = model_.devices();
  auto const directions = per_local_device(devices, [&](int d) {
    return from_position(work_->devices[d].direction.cylinders(blocks.per_shard, subset.size(), blocks.lanes),
                         chunk.begin);
  });
  std::vector<Cylinders> own;
  if (!devices.share_memory())
    own = per_local_device(devices, [&](int d) {
      return work_->devices[d].partial.cylinders(blocks.per_shard, chunk.size, blocks.lanes);
    });
  auto const gathered =
      per_local_device(devices, [&](int d) { return work_->gathered_chunk(d, chunk.size, chunk.turn); });
  gather_places(devices, blocks, {directions, {}}, own, gathered, Stream::transfer);
}

/// projection() = A d for the views of each device.
void VCDSolver::project_in_chunks(SubsetPlan::Subset const& subset) {
  int const num_blocks = model_.recon_placement().blocks().num_blocks();
  bool const overlap = work_->sizes.turns > 1;
  model_.devices().fence("vcd: the direction is read on the other stream", Stream::compute);
  collect(subset, chunk_at(subset, 0));
  for (int begin = 0; begin < subset.size(); begin += work_->sizes.chunk) {
    Chunk const chunk = chunk_at(subset, begin);
    model_.devices().for_each([&](int d, ExecSpace const& exec) {
      CylinderBand const band{{0, num_blocks},
                              part_of(subset.pixels[d], begin, begin + chunk.size),
                              Position::by_entry,
                              work_->gathered_chunk(d, chunk.size, chunk.turn),
                              begin > 0};
      model_.projector(d).forward_project(exec, band, work_->projection(d));
    });
    if (!overlap) model_.devices().fence("vcd: the chunk is replaced next", Stream::compute);
    if (begin + chunk.size < subset.size()) collect(subset, chunk_at(subset, begin + chunk.size));
    if (overlap) model_.devices().fence("vcd: the chunk is replaced next", Stream::compute);
  }
}

}  // namespace strata
