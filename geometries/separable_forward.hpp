/// Forward projection for geometries that couple slices: pixels that share channels are spread over the detector rows
/// together, so that a channel is read and written once for all of them. Host only.
#pragma once

#include "geometries/separable_back.hpp"
#include "geometries/separable_prefetch.hpp"
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

/// What happens to lines of a view before and after entries are added to them: nothing.
struct StoredLines {
  Real* lines;
  Real* base() const { return lines; }
  void approach() {}
  void before(ForwardEntry const*, int) {}
  void after(ForwardEntry const*, int, int) {}
};

/// Lines of one view that are used as soon as they are complete and need not be cleared before; `use`(channel, line)
/// gets those that entries touch, in order. `ahead` fetches while entries are prepared and lines used.
template <class Use>
class PassingLines {
 public:
  PassingLines(Rows<Real> const& lines, int num_taps, Use const& use, ViewPrefetcher& ahead)
      : lines_(lines), num_taps_(num_taps), use_(use), ahead_(ahead) {}
  void approach() { ahead_.step(); }
  /// Where channel 0 would be: the lines of one call are all that is in use, so that they stay in the first-level
  /// cache.
  Real* base() const { return lines_.data - first_ * lines_.channel_stride; }
  void before(ForwardEntry const* entries, int count) {
    begin_with(entries[0].channel);
    for (int e = 0; e < count; ++e)
      for (; begun_ < entries[e].channel + num_taps_; ++begun_) {
        if (begun_ < entries[e].channel) begun_ = entries[e].channel;
        Real* const line = base() + begun_ * lines_.channel_stride;
        for (Index i = 0, end = lines_.channel_stride; i < end; i += FanVector::width) FanVector().store(line + i);
      }
  }
  /// \param next channel of the next entry
  void after(ForwardEntry const* entries, int count, int next) {
    for (int e = 0; e < count; ++e) {
      int const first = entries[e].channel, end = first + num_taps_ < next ? first + num_taps_ : next;
      for (done_ = first > done_ ? first : done_; done_ < end; ++done_) {
        ahead_.step();
        use_(done_, base() + done_ * lines_.channel_stride);
      }
    }
  }

 private:
  /// Moves what has begun to the front.
  void begin_with(int channel) {
    Real const* const from = base() + channel * lines_.channel_stride;
    first_ = channel;
    if (from == lines_.data) return;
    for (Index i = 0, end = (begun_ - channel) * lines_.channel_stride; i < end; i += FanVector::width)
      FanVector::load(from + i).store(lines_.data + i);
  }

  Rows<Real> lines_;
  int num_taps_;
  Use const& use_;
  ViewPrefetcher& ahead_;
  int begun_ = 0, done_ = 0;  ///< all channels below
  int first_ = 0;             ///< channel of the first line
};

/// Adds the pixels of a chunk, sorted by `order`, to one view [channel][row].
template <class G, class Lines>
void add_sorted(ForwardJob<G> const& job, int view, int first, ChunkMemory<forward_chunk> const& chunk,
                std::uint8_t const* order, int count, Rows<Real> const& sino, Slot const& slot, Lines& lines) {
  ForwardEntry entries[max_entries];
  int size = 0;
  int const num_taps = chunk.shape.width;
  Real const* const heights = job.geometry.squared_heights(view);
  auto const flush = [&](int next) {
    if (size == 0) return;
    lines.before(entries, size);
    add_entries(entries, size, num_taps, sino.channel_stride, lines.base());
    lines.after(entries, size, next);
    size = 0;
  };
  for (int i = 0; i < count; ++i) {
    int const p = order[i];
    Real all = 0;
    for (int t = 0; t < num_taps; ++t) all += chunk.weight[t * forward_chunk + p];
    Range const reach = chunk.reach(p);
    if (all == 0 || reach.empty()) continue;
    if (size == slot.num_entries) flush(chunk.base[p]);
    lines.approach();
    auto& entry = entries[size];
    entry.channel = chunk.base[p];
    entry.vectors = reach;
    for (int t = 0; t < num_taps; ++t) entry.weight[t] = chunk.weight[t * forward_chunk + p];
    Index const position = job.pixels.position ? job.pixels.position[first + p] : first + p;
    int const ahead = first + order[i + 2];
    job.source.prefetch(job.pixels.position ? job.pixels.position[ahead] : ahead);
    RowBoxes const boxes{chunk.line(p), chunk.fan_left[p], chunk.fan_step[p], chunk.fan_width[p], chunk.cells(p)};
    prepare_entry(job.cylinder, job.source, position, boxes, heights, slot.entries[size], entry);
    ++size;
  }
  flush(job.geometry.num_channels);
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
    StoredLines lines{sino.data};
    add_sorted(job, view, first, chunk, order, count, sino, slot, lines);
  }
}

/// Calls use(channel, line [row]) for the channels of A x in one view that pixels touch, in order. Only for lists of
/// one chunk; false: it is not for this view, and nothing was done. \param ahead see PassingLines; not used for so few
/// pixels that they touch a small part of the channels
template <class G, class Use>
bool project_in_passing(ForwardJob<G> const& job, int view, Rows<Real> const& lines, Slot const& slot, Use const& use,
                        ViewPrefetcher& ahead) {
  int const count = job.pixels.size;
  if (count == 0 || count > forward_chunk) return false;
  ChunkMemory<forward_chunk> chunk;
  std::uint8_t order[forward_chunk + 2];
  prepare_chunk(job.geometry, job.cylinder, view, job.pixels.row, job.pixels.col, count,
                {0, vectors_of(job.cylinder.num_rows)}, 0, chunk);
  if (chunk.shape.num_windows > 1 || chunk.thin != ThinTaps::none) return false;
  sort_pixels(count, chunk.shape, chunk.base, slot.counts, order);
  order[count] = order[count + 1] = order[count - 1];
  if (4 * count >= job.geometry.num_channels) ahead.share(2 * count);
  PassingLines<Use> passing(lines, chunk.shape.width, use, ahead);
  add_sorted(job, view, 0, chunk, order, count, lines, slot, passing);
  return true;
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
