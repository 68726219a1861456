/// The arrays that VCD's subset updates need on each device.
#pragma once

#include <vector>

#include "core/solver/slice_totals.hpp"
#include "core/solver/subset_kernels.hpp"
#include "core/solver/subset_sizes.hpp"
#include "core/solver/vcd_solver.hpp"

namespace strata {

struct VCDSolver::Workspace {
  struct PerDevice {
    BandBuffer partial;     ///< nodes of A'(w e), all blocks; of a chunk where the subset is large
    BandBuffer staging;     ///< all nodes of the own blocks, later gathered(); several devices only
    BandBuffer work;        ///< gradient(), curvature(), back_projection(); later gathered() or projection()
    BandBuffer direction;   ///< own blocks
    BandBuffer couplings;   ///< couplings(), where cells are solved together
    SliceSums step_sums;    ///< descent, prior curvature
    SliceSums means;        ///< of slices, where they are damped
    Array1<Real> undamped;  ///< 1 - s at [block * lanes + lane], where slice means are damped
    SliceSums change_sums;  ///< |step|, step^2, summed over a pass
    SliceSums recon_sum;    ///< |recon|
    Array1<double> prior_loss;
  };
  SubsetSizes sizes;
  std::vector<PerDevice> devices;
  std::vector<HostSliceTotals> host;                                ///< [device] copies of SliceSums::total()
  std::vector<Kokkos::View<double*, Kokkos::HostSpace>> host_loss;  ///< [device] of prior_loss, where that is asked for
  std::vector<PendingStep> pending;                                 ///< [device]
  std::vector<Range> own_blocks;                                    ///< [device], global numbers
  bool projection_pending = false;  ///< the pending step's direction is there as projection(), not as cylinders

  Workspace(TomographyModel const& model, int max_subset, VCDOptions const& options);

  /// Arrays [block][entry][lane] of a subset of `entries` pixels in `work`, own blocks.
  Cylinders gradient(int device, int entries) const { return part(device, entries, 0); }
  Cylinders curvature(int device, int entries) const { return part(device, entries, 1); }
  /// Those of the prior; empty where single pixels are updated.
  PlaneCouplings couplings(int device, int entries) const {
    BandBuffer const& buffer = devices[device].couplings;
    if (buffer.capacity() == 0) return {};
    return {buffer.cylinders(blocks_.per_shard, entries, blocks_.lanes),
            buffer.cylinders(blocks_.per_shard, entries, blocks_.lanes, sizes.own)};
  }
  /// A'(w e) of a subset that is back projected in chunks.
  Cylinders back_projection(int device, int entries) const { return part(device, entries, 2); }
  /// The direction [block][entry][lane], all blocks: in the memory of the three where the subset is back projected in
  /// chunks. On a single device it is the direction itself.
  Cylinders gathered(int device, int entries) const {
    auto const& arrays = devices[device];
    bool const alone = blocks_.num_shards == 1;
    BandBuffer const& buffer = alone                              ? arrays.direction
                               : back_projects_in_chunks(entries) ? arrays.work
                                                                  : arrays.staging;
    return buffer.cylinders(blocks_.num_blocks(), entries, blocks_.lanes);
  }
  /// For turn `turn` of the chunks of a subset: partial sums of the device's nodes [node * blocks +
  /// block][entry][lane]; whole cylinders [block][entry][lane].
  Cylinders partial(int device, int num_nodes, int size, int turn) const {
    int const num_blocks = num_nodes * blocks_.num_blocks();
    return devices[device].partial.cylinders(num_blocks, size, blocks_.lanes,
                                             turn * Index(sizes.chunk) * num_blocks * blocks_.lanes);
  }
  Cylinders gathered_chunk(int device, int size, int turn) const {
    int const num_blocks = blocks_.num_blocks();
    return devices[device].staging.cylinders(num_blocks, size, blocks_.lanes,
                                             turn * Index(sizes.chunk) * num_blocks * blocks_.lanes);
  }
  /// A shard of the projection of a direction that is projected in chunks, in the memory of the three.
  Sinogram projection(int device) const;
  bool back_projects_in_chunks(int entries) const { return entries > sizes.chunk; }
  bool projects_in_chunks(int entries) const { return entries > sizes.whole; }
  void forget_pending() {
    projection_pending = false;
    for (auto& step : pending) step = {};
  }

 private:
  Cylinders part(int device, int entries, int number) const {
    return devices[device].work.cylinders(blocks_.per_shard, entries, blocks_.lanes, number * sizes.own);
  }

  SliceBlocks blocks_;
  SinogramLayout layout_;
  int num_views_;  // of a shard
};

}  // namespace strata
