/// Forward projection for geometries that couple slices: pixels that share channels are spread over the detector rows
/// together, so that a channel is read and written once for all of them. Host only.
#pragma once

#include "geometries/separable_back.hpp"
#include "geometries/separable_thin.hpp"

namespace strata::separable {

/// Arrays of one forward projection.
template <class G>
struct ForwardJob {
  G geometry;
  Pixels pixels;
  CylinderSource source;
  CylinderShape cylinder;
  int num_views;

  ForwardJob(G const& g, SeparableShape const& shape, CylinderBand const& band)
      : geometry(g),
        pixels(band.pixels, band.position),
        source{band.values.data(), static_cast<Index>(band.values.stride_0()), shape.projector.blocks,
               shape.projector.blocks.shard_size == shape.projector.blocks.per_shard * shape.projector.blocks.lanes ||
                   shape.projector.blocks.num_shards == 1},
        cylinder(shape.cylinder),
        num_views(shape.projector.views.size()) {}
};

/// Collects cylinders that share their channels.
struct EntryBatch {
  ForwardEntry entries[max_entries];
  int size = 0;
};

/// Projects the pixels order[begin .. end), which have the same first channel.
template <class G>
void add_bucket(ForwardJob<G> const& job, int view, int first, ChunkMemory<forward_chunk> const& chunk,
                std::uint8_t const* order, int begin, int end, Rows<Real> const& sino, Slot const& slot) {
  EntryBatch batch;
  int const num_taps = chunk.shape.width;
  Real* const to = sino.data + chunk.base[order[begin]] * sino.channel_stride;
  Real const* const heights = job.geometry.squared_heights(view);
  auto const flush = [&] {
    if (batch.size > 0) add_entries(batch.entries, batch.size, num_taps, sino.channel_stride, to);
    batch.size = 0;
  };
  for (int i = begin; i < end; ++i) {
    int const p = order[i];
    auto& entry = batch.entries[batch.size];
    Real all = 0;
    for (int t = 0; t < num_taps; ++t) all += entry.weight[t] = chunk.weight[t * forward_chunk + p];
    entry.vectors = chunk.reach(p);
    if (all == 0 || entry.vectors.empty()) continue;
    Index const position = job.pixels.position ? job.pixels.position[first + p] : first + p;
    int const ahead = first + order[i + 2];
    job.source.prefetch(job.pixels.position ? job.pixels.position[ahead] : ahead);
    RowBoxes const boxes{chunk.line(p), chunk.fan_left[p], chunk.fan_step[p], chunk.fan_width[p], chunk.cells(p)};
    prepare_entry(job.cylinder, job.source, position, boxes, heights, slot.entries[batch.size], entry);
    if (++batch.size == slot.num_entries) flush();
  }
  flush();
}

/// Adds the projection of chunk `index` of the list to one view [channel][row].
template <class G>
void add_chunk(ForwardJob<G> const& job, int view, int index, Rows<Real> const& sino, Slot const& slot) {
  ChunkMemory<forward_chunk> chunk;
  std::uint8_t order[forward_chunk + 2] = {};
  int const first = index * forward_chunk, left = job.pixels.size - first;
  int const count = left < forward_chunk ? left : forward_chunk, num_channels = job.geometry.num_channels;
  prepare_chunk(job.geometry, job.cylinder, view, job.pixels.row + first, job.pixels.col + first, count,
                {0, vectors_of(job.cylinder.num_rows)}, 0, chunk);
  for (int w = 0; w < chunk.shape.num_windows; ++w) {
    if (w > 0) place_chunk(count, num_channels, chunk.shape, w, 0, chunk.boxes(), chunk.taps());
    sort_pixels(count, chunk.shape, chunk.base, slot.counts, order);
    if (chunk.thin != ThinTaps::none) {
      int const* const position = job.pixels.position ? job.pixels.position + first : nullptr;
      forward_thin(job.cylinder, {job.source, position, first, slot.entries[0].slices}, chunk, order, count,
                   job.geometry.squared_heights(view), sino.channel_stride, sino.data);
      continue;
    }
    order[count] = order[count + 1] = order[count - 1];
    for (int begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && chunk.base[order[end]] == chunk.base[order[begin]]) ++end;
      add_bucket(job, view, first, chunk, order, begin, end, sino, slot);
    }
  }
}

inline void clear_view(Rows<Real> const& sino, int num_channels) {
  for (Index i = 0; i < num_channels * sino.channel_stride; i += FanVector::width) FanVector().store(sino.data + i);
}

template <class G>
int num_chunks(ForwardJob<G> const& job) {
  return (job.pixels.size + forward_chunk - 1) / forward_chunk;
}

/// sino [channel][row] = A x for one view.
template <class G>
void project_view(ForwardJob<G> const& job, int view, Rows<Real> const& sino, Slot const& slot) {
  clear_view(sino, job.geometry.num_channels);
  for (int chunk = 0; chunk < num_chunks(job); ++chunk) add_chunk(job, view, chunk, sino, slot);
}

/// Views of one task: enough to read the volume rarely, few enough to keep all threads busy.
inline int views_per_task(int num_views, int num_threads) {
  constexpr int most = 32;
  int const share = (num_views + 4 * num_threads - 1) / (4 * num_threads);
  return share < most ? share : most;
}

template <class G>
void project_views(ExecSpace const& exec, Workspace::Slots const& slots, ForwardJob<G> const& job,
                   Rows<Real> const& sino, bool accumulate) {
  int const per_task = views_per_task(job.num_views, exec.concurrency());
  int const num_tasks = (job.num_views + per_task - 1) / per_task;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::forward_project", Policy(exec, 0, num_tasks, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int task) {
        SlotLease const lease(slots);
        Slot const slot = lease.slot();
        int const begin = task * per_task, end = begin + per_task < job.num_views ? begin + per_task : job.num_views;
        auto const view = [&](int v) { return Rows<Real>{sino.view(v), 0, sino.channel_stride}; };
        for (int v = begin; v < end && !accumulate; ++v) clear_view(view(v), job.geometry.num_channels);
        for (int chunk = 0; chunk < num_chunks(job); ++chunk)
          for (int v = begin; v < end; ++v) add_chunk(job, v, chunk, view(v), slot);
      });
}

/// See Projector::forward_project().
template <class G>
void forward_project(ExecSpace const& exec, G const& geometry, SeparableShape const& shape, Workspace const& workspace,
                     CylinderBand const& band, Sinogram const& sino) {
  ForwardJob<G> const job(geometry, shape, band);
  if (job.num_views > 0) project_views(exec, workspace.slots(exec), job, rows_of(sino), band.accumulate);
}

}  // namespace strata::separable
