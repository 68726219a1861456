/// GPU teams, geometries that couple slices: back projection. One team is a few pixels and a chunk of slices. For each
/// pixel and a few views, threads first stand on detector rows and join the channels into lines in scratch memory, then
/// on slices and collect from these lines. Sums of view groups are joined in scratch memory as in the tree of
/// ViewGroups.
#pragma once

#include "geometries/projector_arrays.hpp"
#include "geometries/separable_team_policy.hpp"
#include "geometries/separable_team_weights.hpp"

namespace strata::separable_teams {

/// Arguments of the kernel.
struct BackArrays {
  Lines<Real const> sino;
  Lines<Real> out;
  Pixels pixels;
  LocalGroups groups;  ///< of the node
  SliceBlocks blocks;
  Range wanted;  ///< blocks
  int num_rows;
  int row_limit;
  bool by_pixel, squared, oblique;
};

/// Scratch memory of one team.
struct BackScratch {
  static constexpr int pixels = 4;
  static constexpr int views = 4;   ///< whose lines are in memory together
  static constexpr int rows = 512;  ///< of a line that are in memory together
  static constexpr int num_sums = (ViewGroups::max_levels + 1) * pixels * chunk_cells;

  ScratchArray<Entry> entries;  ///< [view][pixel]
  ScratchArray<int> slice;      ///< [cell of the chunk], -1: padding
  ScratchArray<Real> lines;     ///< [view][row]
  ScratchArray<Real> sums;      ///< [level][pixel][cell]; the last level is the group being summed

  KOKKOS_FUNCTION explicit BackScratch(Team const& team)
      : entries(team.team_scratch(0), views * pixels),
        slice(team.team_scratch(0), chunk_cells),
        lines(team.team_scratch(0), views * rows),
        sums(team.team_scratch(0), num_sums) {}
  static std::size_t bytes() {
    return ScratchArray<Entry>::shmem_size(views * pixels) + ScratchArray<int>::shmem_size(chunk_cells) +
           ScratchArray<Real>::shmem_size(views * rows) + ScratchArray<Real>::shmem_size(num_sums);
  }
  KOKKOS_FUNCTION Entry& entry(int u, int p) const { return entries(u * pixels + p); }
  KOKKOS_FUNCTION Real& sum(int level, int p, int i) const { return sums((level * pixels + p) * chunk_cells + i); }
  KOKKOS_FUNCTION Real& group(int p, int i) const { return sum(ViewGroups::max_levels, p, i); }
};

/// What one team works on.
struct BackTile {
  Range pixels;  ///< entries of the list
  Range cells;   ///< [block][lane] of the wanted blocks, flattened
  Range slices;  ///< first and one after the last of them
};

KOKKOS_INLINE_FUNCTION BackTile make_tile(BackArrays const& a, int rank, int tiles) {
  int const first = rank % tiles * BackScratch::pixels, cell = rank / tiles * chunk_cells, lanes = a.blocks.lanes;
  int const num_pixels = a.pixels.size, num_cells = a.wanted.size() * lanes;
  int const last = first + BackScratch::pixels < num_pixels ? first + BackScratch::pixels : num_pixels;
  int const end = cell + chunk_cells < num_cells ? cell + chunk_cells : num_cells;
  Range const low = a.blocks.slices(a.wanted.begin + cell / lanes);
  Range const high = a.blocks.slices(a.wanted.begin + (end - 1) / lanes);
  return {{first, last}, {cell, end}, {low.begin, high.end}};
}

/// Slices of the team's cells, and zeros for the first group.
KOKKOS_INLINE_FUNCTION void start_tile(Team const& team, BackArrays const& a, BackTile const& tile,
                                       BackScratch const& scratch) {
  each(team, 0, tile.cells.size(), [&](int i) {
    int const cell = tile.cells.begin + i, lane = cell % a.blocks.lanes;
    Range const own = a.blocks.slices(a.wanted.begin + cell / a.blocks.lanes);
    scratch.slice(i) = lane < own.size() ? own.begin + lane : -1;
    for (int p = 0; p < tile.pixels.size(); ++p) scratch.group(p, i) = 0;
  });
}

template <class G>
KOKKOS_INLINE_FUNCTION void prepare_entries(Team const& team, G const& geometry, BackArrays const& a,
                                            BackTile const& tile, Range views, BackScratch const& scratch) {
  each(team, 0, views.size() * BackScratch::pixels, [&](int i) {
    int const u = i / BackScratch::pixels, p = i % BackScratch::pixels, t = tile.pixels.begin + p;
    if (t >= tile.pixels.end) return;
    Entry entry = make_entry(geometry, views.begin + u, a.pixels.row[t], a.pixels.col[t]);
    if (!entry.channels.empty() && !tile.slices.empty())
      entry.cells = rows_of(entry.line, tile.slices.begin, tile.slices.end - 1, a.num_rows);
    scratch.entry(u, p) = entry;
  });
}

/// Rows that the cylinder of pixel `p` meets in any of the views.
KOKKOS_INLINE_FUNCTION Range joint_rows(BackScratch const& scratch, int num_views, int p) {
  Range all{0, 0};
  for (int u = 0; u < num_views; ++u) {
    Range const own = scratch.entry(u, p).cells;
    if (own.empty()) continue;
    if (all.empty()) all = own;
    all = {own.begin < all.begin ? own.begin : all.begin, own.end > all.end ? own.end : all.end};
  }
  return all;
}

/// lines[u][m - first] = channels of row m, joined with the weights of pixel `p`, for m in `rows`.
KOKKOS_INLINE_FUNCTION void join_channels(Team const& team, BackArrays const& a, Range views, int p, Range rows,
                                          int first, BackScratch const& scratch) {
  for (int u = 0; u < views.size(); ++u) {
    Entry const entry = scratch.entry(u, p);
    each(team, rows.begin, rows.end, [&](int m) {
      Real sum = 0;
      for (int n = entry.channels.begin; n < entry.channels.end; ++n) {
        Real const weight = entry.channel_weight(n);
        sum = multiply_add(a.squared ? weight * weight : weight, a.sino(views.begin + u, n, m), sum);
      }
      scratch.lines(u * BackScratch::rows + m - first) = sum;
    });
  }
}

/// What slice `slice` collects from rows [window.begin, window.end) of view `u`, without 1 / cos(phi).
KOKKOS_FORCEINLINE_FUNCTION Real collect(BackArrays const& a, Entry const& entry, int slice, Range window, int u,
                                         BackScratch const& scratch) {
  SliceBox const box(entry.line, slice);
  Range const rows = box.rows(window.begin, window.end);
  bool const cut = box.width > 2 * static_cast<Real>(a.row_limit);
  // Whole numbers, so that this is the row's place in the box exactly, without doubles in the loop.
  Real const first = static_cast<Real>(rows.begin - box.whole);
  Real const* const line = scratch.lines.data() + u * BackScratch::rows + rows.begin - window.begin;
  Real part = 0;
  for (int i = 0; i < rows.size(); ++i) {
    if (cut && box.distance(rows.begin + i) > a.row_limit) continue;
    Real const weight = overlap(box.inside, box.width, first + static_cast<Real>(i));
    part = multiply_add(a.squared ? weight * weight : weight, line[i], part);
  }
  return part;
}

/// Adds what the slices of pixel `p` collect from the rows in scratch memory, view by view.
template <class G>
KOKKOS_INLINE_FUNCTION void collect_rows(Team const& team, G const& geometry, BackArrays const& a, BackTile const& tile,
                                         Range views, int p, Range window, BackScratch const& scratch) {
  each(team, 0, tile.cells.size(), [&](int i) {
    int const slice = scratch.slice(i);
    if (slice < 0) return;
    Real sum = scratch.group(p, i);
    for (int u = 0; u < views.size(); ++u) {
      Entry const& entry = scratch.entry(u, p);
      if (entry.cells.empty()) continue;
      Real const part = collect(a, entry, slice, window, u, scratch);
      Real const t = a.oblique ? entry.line.rise * geometry.squared_heights(views.begin + u)[slice] : Real(0);
      sum = multiply_add(a.squared ? 1 + t : Kokkos::sqrt(1 + t), part, sum);
    }
    scratch.group(p, i) = sum;
  });
}

/// Adds views to the sum of the group. Windows of rows are the same for all chunks of slices, so that a slice's sum
/// does not depend on the chunk.
template <class G>
KOKKOS_INLINE_FUNCTION void add_views(Team const& team, G const& geometry, BackArrays const& a, BackTile const& tile,
                                      Range views, BackScratch const& scratch) {
  constexpr int length = BackScratch::rows;
  team.team_barrier();  // others may still look at the entries before: pixels that meet no row pass without waiting
  prepare_entries(team, geometry, a, tile, views, scratch);
  team.team_barrier();
  for (int p = 0; p < tile.pixels.size(); ++p) {
    Range const all = joint_rows(scratch, views.size(), p);
    for (int first = all.begin / length * length; first < all.end; first += length) {
      Range const rows{first > all.begin ? first : all.begin, first + length < all.end ? first + length : all.end};
      join_channels(team, a, views, p, rows, first, scratch);
      team.team_barrier();
      collect_rows(team, geometry, a, tile, views, p, {first, rows.end}, scratch);
      team.team_barrier();
    }
  }
}

/// Joins the sum of group `g` of `num_groups` with those before it; the last result goes to the output.
KOKKOS_INLINE_FUNCTION void join_group(Team const& team, BackArrays const& a, BackTile const& tile, int g,
                                       int num_groups, BackScratch const& scratch) {
  bool const last = g + 1 == num_groups;
  each(team, 0, tile.cells.size(), [&](int i) {
    int const cell = tile.cells.begin + i, b = cell / a.blocks.lanes, lane = cell % a.blocks.lanes;
    for (int p = 0; p < tile.pixels.size(); ++p) {
      Real sum = scratch.group(p, i);
      scratch.group(p, i) = 0;
      int level = 0;
      for (; g >> level; ++level) {
        if ((g >> level) & 1)
          sum = scratch.sum(level, p, i) + sum;
        else if (!last)
          break;
      }
      int const t = tile.pixels.begin + p;
      if (last)
        a.out(b, a.by_pixel ? a.pixels.index[t] : t, lane) = sum;
      else
        scratch.sum(level, p, i) = sum;
    }
  });
}

template <class G>
void back_project_node(ExecSpace const& exec, G const& geometry, BackArrays const& a) {
  static_assert(sizeof(G) + sizeof(BackArrays) <= 384, "with its policy the closure must stay below 512 bytes");
  int const tiles = (a.pixels.size + BackScratch::pixels - 1) / BackScratch::pixels;
  int const chunks = (a.wanted.size() * a.blocks.lanes + chunk_cells - 1) / chunk_cells;
  int const num_groups = a.groups.size();
  Kokkos::parallel_for(
      "strata::back_project", team_policy(exec, tiles * chunks, BackScratch::bytes()), KOKKOS_LAMBDA(Team const& team) {
        BackTile const tile = make_tile(a, team.league_rank(), tiles);
        BackScratch const scratch(team);
        start_tile(team, a, tile, scratch);
        for (int g = 0; g < num_groups; ++g) {
          Range const group = a.groups.views(g);
          for (int v = group.begin; v < group.end; v += BackScratch::views)
            add_views(team, geometry, a, tile,
                      {v, v + BackScratch::views < group.end ? v + BackScratch::views : group.end}, scratch);
          join_group(team, a, tile, g, num_groups, scratch);
        }
      });
}

}  // namespace strata::separable_teams
