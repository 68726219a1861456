/// Host tiles: forward_project() and what is done with projected views.
#pragma once

#include "geometries/dispatch.hpp"
#include "geometries/host_kernels.hpp"

namespace strata::host_tiles {

/// Views of one forward task: enough to read the volume rarely, few enough to keep all threads busy.
inline int views_per_task(int num_views, int num_threads) {
  constexpr int most = 32;
  int const share = (num_views + 4 * num_threads - 1) / (4 * num_threads);
  return share < most ? share : most;
}

/// One task projects a few views chunk by chunk: the chunk's cylinders stay in cache for all of them.
template <int NT, int NV, class G>
void project_views(ExecSpace const& exec, Workspace::Slots const& slots, ForwardJob<G> const& job,
                   Blocks<Real> const& sino, bool accumulate) {
  int const per_task = views_per_task(job.num_views, exec.concurrency());
  int const num_tasks = (job.num_views + per_task - 1) / per_task;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::forward_project", Policy(exec, 0, num_tasks, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int task) {
        SlotLease const slot(slots);
        int const begin = task * per_task;
        int const end = begin + per_task < job.num_views ? begin + per_task : job.num_views;
        for (int v = begin; v < end && !accumulate; ++v)
          clear_view<NV>(job.geometry.num_channels, job.num_blocks, sino.view(v));
        for (int chunk = 0; chunk < job.pixels.num_chunks(); ++chunk)
          for (int v = begin; v < end; ++v) add_chunk<NT, NV>(job, v, chunk, sino.view(v), slot.counts());
      });
}

template <class G>
void Kernels<G>::forward_project(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                                 Workspace const& workspace, CylinderBand const& band, Sinogram const& sino) {
  ForwardJob<G> const job(geometry, shape, band);
  if (job.num_views == 0 || job.num_blocks == 0) return;
  auto const slots = workspace.slots(exec);
  with_taps_and_vectors(geometry.taps.width, shape.blocks.lanes / LaneVector::width, [&](auto taps, auto vectors) {
    project_views<taps(), vectors()>(exec, slots, job, blocks_of(sino, band.blocks.begin), band.accumulate);
  });
}

}  // namespace strata::host_tiles
