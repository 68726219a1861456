/// GPU teams: forward projection. One team is one view and one slice block. It takes the list in chunks, sorts a chunk
/// by channel in scratch memory, and gives each channel to one thread that gathers what falls on it.
#pragma once

#include "core/model/projector.hpp"
#include "geometries/channel_footprint.hpp"
#include "geometries/team_types.hpp"

namespace strata::gpu_teams {

using team_types::Policy;
using team_types::ScratchArray;
using team_types::Team;

/// `league` teams with `scratch` bytes each. On GPUs the vectors stand on the lanes of a slice block, so that
/// neighbouring threads read neighbouring numbers; by default Kokkos would give all lanes of a pixel to one thread.
inline Policy team_policy(ExecSpace const& exec, int league, std::size_t scratch) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  constexpr int vector_length = 32;
#else
  constexpr int vector_length = 1;
#endif
  Policy policy(exec, league, Kokkos::AUTO, vector_length);
  return policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
}

/// The taps of one chunk of pixels in one view, in the order of their first channel.
template <int NT>
struct SortedTaps {
  static constexpr int size = 256;
  ScratchArray<int> key;         ///< in list order: first channel * size + entry; no two are equal
  ScratchArray<int> base;        ///< first channels, ascending
  ScratchArray<Index> position;  ///< of the cylinders in their block
  ScratchArray<Real> weight;     ///< [entry][tap]

  KOKKOS_FUNCTION explicit SortedTaps(Team const& team)
      : key(team.team_scratch(0), size),
        base(team.team_scratch(0), size),
        position(team.team_scratch(0), size),
        weight(team.team_scratch(0), size * NT) {}
  static std::size_t bytes() {
    return 2 * ScratchArray<int>::shmem_size(size) + ScratchArray<Index>::shmem_size(size) +
           ScratchArray<Real>::shmem_size(size * NT);
  }

  /// Position of the first sorted pixel whose first channel is not below `channel`.
  KOKKOS_FUNCTION int lower_bound(int count, int channel) const {
    int low = 0, high = count;
    while (low < high) {
      int const middle = (low + high) / 2;
      if (base(middle) < channel)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// Fills `taps` with entries [first, first + count). Every pixel finds its place by counting the keys before its own.
template <int NT, class G>
KOKKOS_FUNCTION void sort_taps(Team const& team, G const& geometry, CylinderBand const& band, int view_index, int first,
                               int count, TapWindow window, SortedTaps<NT> const& taps) {
  auto const view = geometry.view(view_index);
  PixelList const& pixels = band.pixels;
  bool const by_pixel = band.position == Position::by_pixel;
  auto const per_cylinder = static_cast<Index>(band.values.stride(1));
  int const num_channels = geometry.num_channels, num_taps = geometry.taps.num_taps;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int p) {
    ChannelBox const box = geometry.box(view, pixels.row(first + p), pixels.col(first + p));
    taps.key(p) = place_taps(box, num_channels, num_taps, window.begin).base * SortedTaps<NT>::size + p;
  });
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int p) {
    int const mine = taps.key(p);
    int rank = 0;
    for (int other = 0; other < count; ++other) rank += taps.key(other) < mine ? 1 : 0;
    ChannelBox const box = geometry.box(view, pixels.row(first + p), pixels.col(first + p));
    TapPlace const place = place_taps(box, num_channels, num_taps, window.begin);
    taps.base(rank) = place.base;
    taps.position(rank) = (by_pixel ? pixels.index(first + p) : first + p) * per_cylinder;
    for (int t = 0; t < NT; ++t) taps.weight(rank * NT + t) = tap_weight(box, place, t, window.skip);
  });
  team.team_barrier();
}

/// sino(v) = A x for views [first_view, first_view + num_views) of the device; sino's view 0 is first_view.
template <int NT, class G>
void project_views(ExecSpace const& exec, G const& geometry, CylinderBand const& band, int first_view, int num_views,
                   int first_block, Sinogram const& sino) {
  int const num_blocks = band.blocks.size(), num_channels = geometry.num_channels, num_lanes = sino.extent_int(3);
  int const num_pixels = band.pixels.size();
  bool const accumulate = band.accumulate;
  Kokkos::parallel_for(
      "strata::forward_project", team_policy(exec, num_views * num_blocks, SortedTaps<NT>::bytes()),
      KOKKOS_LAMBDA(Team const& team) {
        int const v = team.league_rank() / num_blocks, b = team.league_rank() % num_blocks;
        SortedTaps<NT> const taps(team);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, accumulate ? 0 : num_channels), [&](int n) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, num_lanes),
                               [&](int lane) { sino(v, first_block + b, n, lane) = 0; });
        });
        for (int first = 0; first < num_pixels; first += SortedTaps<NT>::size) {
          int const left = num_pixels - first;
          int const count = left < SortedTaps<NT>::size ? left : SortedTaps<NT>::size;
          for (int w = 0; w < geometry.taps.num_windows; ++w) {
            sort_taps(team, geometry, band, first_view + v, first, count, geometry.taps.window(w), taps);
            int const low = taps.base(0), high = taps.base(count - 1) + NT;
            Kokkos::parallel_for(Kokkos::TeamThreadRange(team, low, high), [&](int n) {
              int const begin = taps.lower_bound(count, n - NT + 1), end = taps.lower_bound(count, n + 1);
              Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, num_lanes), [&](int lane) {
                Real const* const column = &band.values(b, 0, lane);
                Real sum = 0;
                for (int k = begin; k < end; ++k)
                  sum = multiply_add(taps.weight(k * NT + n - taps.base(k)), column[taps.position(k)], sum);
                sino(v, first_block + b, n, lane) += sum;
              });
            });
            team.team_barrier();
          }
        }
      });
}

}  // namespace strata::gpu_teams
