/// GPU teams: back projection. One team is a few pixels and one slice block; threads are pixels, their vectors slices.
/// The sums of view groups are joined in scratch memory as in the tree of ViewGroups.
#pragma once

#include "geometries/projector_arrays.hpp"
#include "geometries/team_forward.hpp"

namespace strata::gpu_teams {

/// Scratch memory of one team.
template <int NT>
struct BackScratch {
  static constexpr int pixels = 16;
  static constexpr int views = 16;  ///< whose taps are prepared together
  ScratchArray<int> base;           ///< [view][pixel]
  ScratchArray<Real> weight;        ///< [view][pixel][tap]
  ScratchArray<Real> sums;          ///< [level][pixel][lane]; the last level is the group being summed
  int num_lanes;

  KOKKOS_FUNCTION BackScratch(Team const& team, int lanes)
      : base(team.team_scratch(0), views * pixels),
        weight(team.team_scratch(0), views * pixels * NT),
        sums(team.team_scratch(0), (ViewGroups::max_levels + 1) * pixels * lanes),
        num_lanes(lanes) {}
  static std::size_t bytes(int lanes) {
    return ScratchArray<int>::shmem_size(views * pixels) + ScratchArray<Real>::shmem_size(views * pixels * NT) +
           ScratchArray<Real>::shmem_size((ViewGroups::max_levels + 1) * pixels * lanes);
  }
  KOKKOS_FUNCTION Real& sum(int level, int p, int lane) const { return sums((level * pixels + p) * num_lanes + lane); }
  KOKKOS_FUNCTION Real& group(int p, int lane) const { return sum(ViewGroups::max_levels, p, lane); }
};

/// Arguments of the kernel.
struct BackArrays {
  ConstSinogram sino;
  Cylinders out;
  PixelList pixels;
  LocalGroups groups;  ///< of the node
  int first_block;
  bool by_pixel;
  bool squared;
};

/// Prepares the taps of views [begin, end) at the team's pixels.
template <int NT, class G>
KOKKOS_FUNCTION void prepare_taps(Team const& team, G const& geometry, BackArrays const& a, int first, int count,
                                  Range views, TapWindow window, BackScratch<NT> const& scratch) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, views.size() * count), [&](int i) {
    int const u = i / count, p = i % count, slot = u * BackScratch<NT>::pixels + p;
    ChannelBox const box =
        geometry.box(geometry.view(views.begin + u), a.pixels.row(first + p), a.pixels.col(first + p));
    TapPlace const place = place_taps(box, geometry.num_channels, geometry.taps.num_taps, window.begin);
    scratch.base(slot) = place.base;
    for (int t = 0; t < NT; ++t) {
      Real const weight = tap_weight(box, place, t, window.skip);
      scratch.weight(slot * NT + t) = a.squared ? weight * weight : weight;
    }
  });
}

/// Adds views [begin, end) to the sum of the group.
template <int NT>
KOKKOS_FUNCTION void add_views(Team const& team, BackArrays const& a, int count, int block, Range views,
                               BackScratch<NT> const& scratch) {
  auto const per_view = static_cast<Index>(a.sino.stride(0));
  auto const per_channel = static_cast<int>(a.sino.stride(2));
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int p) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, scratch.num_lanes), [&](int lane) {
      Real sum = scratch.group(p, lane);
      // By pointers: otherwise most of the loop's instructions find places in a four-dimensional array.
      Real const* view = &a.sino(views.begin, block, 0, lane);
      for (int u = 0; u < views.size(); ++u, view += per_view) {
        int const slot = u * BackScratch<NT>::pixels + p;
        Real const* const first = view + scratch.base(slot) * per_channel;
        for (int t = 0; t < NT; ++t) sum = multiply_add(scratch.weight(slot * NT + t), first[t * per_channel], sum);
      }
      scratch.group(p, lane) = sum;
    });
  });
}

/// Joins the sum of group `g` of `num_groups` with those before it; the last result goes to the output.
template <int NT>
KOKKOS_FUNCTION void join_group(Team const& team, BackArrays const& a, int first, int count, int b, int g,
                                int num_groups, BackScratch<NT> const& scratch) {
  bool const last = g + 1 == num_groups;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int p) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, scratch.num_lanes), [&](int lane) {
      Real sum = scratch.group(p, lane);
      scratch.group(p, lane) = 0;
      int level = 0;
      for (; g >> level; ++level) {
        if ((g >> level) & 1)
          sum = scratch.sum(level, p, lane) + sum;
        else if (!last)
          break;
      }
      if (last)
        a.out(b, a.by_pixel ? a.pixels.index(first + p) : first + p, lane) = sum;
      else
        scratch.sum(level, p, lane) = sum;
    });
  });
}

template <int NT, class G>
void back_project_node(ExecSpace const& exec, G const& geometry, BackArrays const& a, int num_blocks, int num_lanes) {
  int const num_pixels = a.pixels.size();
  int const tiles = (num_pixels + BackScratch<NT>::pixels - 1) / BackScratch<NT>::pixels;
  int const num_groups = a.groups.size();
  Kokkos::parallel_for(
      "strata::back_project", team_policy(exec, tiles * num_blocks, BackScratch<NT>::bytes(num_lanes)),
      KOKKOS_LAMBDA(Team const& team) {
        int const b = team.league_rank() / tiles, first = team.league_rank() % tiles * BackScratch<NT>::pixels;
        int const left = num_pixels - first;
        int const count = left < BackScratch<NT>::pixels ? left : BackScratch<NT>::pixels;
        BackScratch<NT> const scratch(team, num_lanes);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int p) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, num_lanes),
                               [&](int lane) { scratch.group(p, lane) = 0; });
        });
        for (int g = 0; g < num_groups; ++g) {
          Range const views = a.groups.views(g);
          for (int v = views.begin; v < views.end; v += BackScratch<NT>::views) {
            Range const batch{v, v + BackScratch<NT>::views < views.end ? v + BackScratch<NT>::views : views.end};
            for (int w = 0; w < geometry.taps.num_windows; ++w) {
              prepare_taps(team, geometry, a, first, count, batch, geometry.taps.window(w), scratch);
              team.team_barrier();
              add_views(team, a, count, a.first_block + b, batch, scratch);
              team.team_barrier();
            }
          }
          join_group(team, a, first, count, b, g, num_groups, scratch);
        }
      });
}

}  // namespace strata::gpu_teams
