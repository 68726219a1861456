/// GPU teams, geometries that couple slices: forward projection. One team is one view and a chunk of detector rows. It
/// takes the list in parts, sorts a part by channel, and for a few pixels at a time scales their slices in scratch
/// memory; then threads stand on rows, collect from these slices and add to the channels.
#pragma once

#include "core/model/projector.hpp"
#include "geometries/separable_team_policy.hpp"
#include "geometries/separable_team_weights.hpp"

namespace strata::separable_teams {

/// Arguments of the kernel.
struct ForwardArrays {
  Lines<Real> sino;  ///< its view 0 is first_view
  Lines<Real const> values;
  Pixels pixels;
  SliceBlocks blocks;
  int num_lanes;  ///< rows that are stored
  int first_view;
  int num_rows;
  int slice_limit;
  bool by_pixel, accumulate, oblique;
};

/// Scratch memory of one team.
struct ForwardScratch {
  static constexpr int list = CylinderBand::part_alignment;  ///< entries that are sorted together
  static constexpr int batch = 8;                            ///< of them whose slices are in memory together
  static constexpr int slices = 512;                         ///< of a cylinder that are in memory together

  ScratchArray<int> key;        ///< [entry] first channel * list + entry; no two are equal
  ScratchArray<int> order;      ///< entries by first channel; those of a channel keep their order
  ScratchArray<Entry> entries;  ///< [entry of the batch]
  ScratchArray<Real> scaled;    ///< [entry of the batch][slice] values times 1 / cos(phi)
  ScratchArray<Real> rows;      ///< [entry of the batch][row]

  KOKKOS_FUNCTION explicit ForwardScratch(Team const& team)
      : key(team.team_scratch(0), list),
        order(team.team_scratch(0), list),
        entries(team.team_scratch(0), batch),
        scaled(team.team_scratch(0), batch * slices),
        rows(team.team_scratch(0), batch * chunk_cells) {}
  static std::size_t bytes() {
    return 2 * ScratchArray<int>::shmem_size(list) + ScratchArray<Entry>::shmem_size(batch) +
           ScratchArray<Real>::shmem_size(batch * slices) + ScratchArray<Real>::shmem_size(batch * chunk_cells);
  }
};

/// Sorts entries [first, first + count) of the list by their first channel in view `view`. Every entry finds its place
/// by counting those before it.
template <class G>
KOKKOS_INLINE_FUNCTION void sort_entries(Team const& team, G const& geometry, ForwardArrays const& a, int view,
                                         int first, int count, ForwardScratch const& scratch) {
  each(team, 0, count, [&](int i) {
    int const t = first + i;
    int const channel = make_entry(geometry, view, a.pixels.row[t], a.pixels.col[t]).channels.begin;
    scratch.key(i) = channel * ForwardScratch::list + i;
  });
  team.team_barrier();
  each(team, 0, count, [&](int i) {
    int const mine = scratch.key(i);
    int place = 0;
    for (int other = 0; other < count; ++other) place += scratch.key(other) < mine ? 1 : 0;
    scratch.order(place) = i;
  });
  team.team_barrier();
}

/// Entries [begin, begin + count) of the sorted part, with the slices that `rows` meet.
template <class G>
KOKKOS_INLINE_FUNCTION void prepare_batch(Team const& team, G const& geometry, ForwardArrays const& a, int view,
                                          int first, int begin, int count, Range rows, ForwardScratch const& scratch) {
  each(team, 0, count, [&](int j) {
    int const t = first + scratch.order(begin + j);
    Entry entry = make_entry(geometry, view, a.pixels.row[t], a.pixels.col[t]);
    if (!entry.channels.empty()) entry.cells = slices_of(entry, rows.begin, rows.end - 1, 0, a.blocks.num_slices);
    entry.position = a.by_pixel ? a.pixels.index[t] : t;
    scratch.entries(j) = entry;
  });
}

/// Slices that any entry of the batch needs.
KOKKOS_INLINE_FUNCTION Range joint_slices(ForwardScratch const& scratch, int count) {
  Range all{0, 0};
  for (int j = 0; j < count; ++j) {
    Range const own = scratch.entries(j).cells;
    if (own.empty()) continue;
    if (all.empty()) all = own;
    all = {own.begin < all.begin ? own.begin : all.begin, own.end > all.end ? own.end : all.end};
  }
  return all;
}

/// scaled[j][k - first] = slice k of entry j / cos(phi), for k in `slices`.
KOKKOS_INLINE_FUNCTION void scale_slices(Team const& team, ForwardArrays const& a, Real const* heights, int count,
                                         Range slices, int first, ForwardScratch const& scratch) {
  each(team, slices.begin, slices.end, [&](int k) {
    int const block = a.blocks.block_of(k), lane = a.blocks.lane_of(k);
    Real const height = a.oblique ? heights[k] : Real(0);
    for (int j = 0; j < count; ++j) {
      Entry const& entry = scratch.entries(j);
      if (k < entry.cells.begin || k >= entry.cells.end) continue;
      Real const secant = Kokkos::sqrt(1 + entry.line.rise * height);
      scratch.scaled(j * ForwardScratch::slices + k - first) = secant * a.values(block, entry.position, lane);
    }
  });
}

/// Adds slices [window.begin, window.end) of the batch to rows[j][m - rows.begin].
KOKKOS_INLINE_FUNCTION void collect_slices(Team const& team, ForwardArrays const& a, int count, Range rows,
                                           Range window, bool is_first, ForwardScratch const& scratch) {
  each(team, rows.begin, rows.end, [&](int m) {
    for (int j = 0; j < count; ++j) {
      Entry const& entry = scratch.entries(j);
      Real& sum = scratch.rows(j * chunk_cells + m - rows.begin);
      if (is_first) sum = 0;
      int const low = window.begin > entry.cells.begin ? window.begin : entry.cells.begin;
      int const high = window.end < entry.cells.end ? window.end : entry.cells.end;
      if (low >= high) continue;
      Range const met = slices_of(entry, m, m, low, high);
      bool const cut = may_be_cut(entry.line, a.slice_limit);
      Real part = 0;
      for (int k = met.begin; k < met.end; ++k) {
        Real const weight = SliceBox(entry.line, k).weight(m);
        if (weight > 0 && !(cut && is_cut(entry.line, m, k, a.slice_limit)))
          part = multiply_add(weight, scratch.scaled(j * ForwardScratch::slices + k - window.begin), part);
      }
      sum += part;
    }
  });
}

/// Adds rows[j] times the channel weights to the sinogram, each channel once for all entries of the batch.
KOKKOS_INLINE_FUNCTION void add_channels(Team const& team, ForwardArrays const& a, int view, int count, Range rows,
                                         ForwardScratch const& scratch) {
  int last = 0;
  for (int j = 0; j < count; ++j)
    last = scratch.entries(j).channels.end > last ? scratch.entries(j).channels.end : last;
  each(team, rows.begin, rows.end, [&](int m) {
    for (int n = scratch.entries(0).channels.begin; n < last;) {
      Real sum = 0;
      bool any = false;
      int next = last;  // where entries that begin behind this channel do so
      for (int j = count - 1; j >= 0; --j)
        if (scratch.entries(j).channels.begin > n) next = scratch.entries(j).channels.begin;
      for (int j = 0; j < count; ++j) {
        Entry const& entry = scratch.entries(j);
        if (n < entry.channels.begin || n >= entry.channels.end) continue;
        sum = multiply_add(entry.channel_weight(n), scratch.rows(j * chunk_cells + m - rows.begin), sum);
        any = true;
      }
      if (any) a.sino(view, n, m) += sum;
      n = any ? n + 1 : next;
    }
  });
}

/// Adds entries [begin, begin + count) of the sorted part.
template <class G>
KOKKOS_INLINE_FUNCTION void add_batch(Team const& team, G const& geometry, ForwardArrays const& a, int view, int first,
                                      int begin, int count, Range rows, ForwardScratch const& scratch) {
  constexpr int length = ForwardScratch::slices;
  int const of_device = a.first_view + view;
  prepare_batch(team, geometry, a, of_device, first, begin, count, rows, scratch);
  team.team_barrier();
  Range const all = joint_slices(scratch, count);
  // Windows of slices are the same for all chunks of rows.
  int const start = all.begin / length * length;
  for (int low = start; low < all.end; low += length) {
    Range const slices{low > all.begin ? low : all.begin, low + length < all.end ? low + length : all.end};
    scale_slices(team, a, geometry.squared_heights(of_device), count, slices, low, scratch);
    team.team_barrier();
    collect_slices(team, a, count, rows, {low, slices.end}, low == start, scratch);
    team.team_barrier();
  }
  if (!all.empty()) add_channels(team, a, view, count, rows, scratch);
  team.team_barrier();
}

/// Zeros in the rows of a chunk, padded ones too.
KOKKOS_INLINE_FUNCTION void clear_rows(Team const& team, ForwardArrays const& a, int view, Range rows,
                                       int num_channels) {
  each(team, rows.begin, rows.end, [&](int m) {
    for (int n = 0; n < num_channels; ++n) a.sino(view, n, m) = 0;
  });
}

/// sino(v) = A x for views [first_view, first_view + num_views) of the device.
template <class G>
void project_views(ExecSpace const& exec, G const& geometry, ForwardArrays const& a, int num_views) {
  static_assert(sizeof(G) + sizeof(ForwardArrays) <= 384, "with its policy the closure must stay below 512 bytes");
  int const num_lanes = a.num_lanes, chunks = (num_lanes + chunk_cells - 1) / chunk_cells;
  int const num_pixels = a.pixels.size, num_channels = geometry.num_channels;
  Kokkos::parallel_for(
      "strata::forward_project", team_policy(exec, num_views * chunks, ForwardScratch::bytes()),
      KOKKOS_LAMBDA(Team const& team) {
        int const view = team.league_rank() / chunks, low = team.league_rank() % chunks * chunk_cells;
        int const high = low + chunk_cells;
        Range const lanes{low, high < num_lanes ? high : num_lanes}, rows{low, high < a.num_rows ? high : a.num_rows};
        ForwardScratch const scratch(team);
        if (!a.accumulate) clear_rows(team, a, view, lanes, num_channels);
        team.team_barrier();
        for (int first = 0; first < num_pixels && !rows.empty(); first += ForwardScratch::list) {
          int const left = num_pixels - first;
          int const count = left < ForwardScratch::list ? left : ForwardScratch::list;
          sort_entries(team, geometry, a, a.first_view + view, first, count, scratch);
          for (int begin = 0; begin < count; begin += ForwardScratch::batch)
            add_batch(team, geometry, a, view, first, begin,
                      count - begin < ForwardScratch::batch ? count - begin : ForwardScratch::batch, rows, scratch);
        }
      });
}

}  // namespace strata::separable_teams
