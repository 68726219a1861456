/// GPU teams, geometries that couple slices: launch shapes. docs/gpu.md has the reason for each number.
#pragma once

#include "core/model/pixel_list.hpp"
#include "geometries/team_types.hpp"

namespace strata::separable_teams {

using team_types::Policy;
using team_types::ScratchArray;
using team_types::Team;

/// Cells of the axis along which the threads of a team stand: slices (back projection), rows (forward projection).
constexpr int chunk_cells = 256;

/// `league` teams with `scratch` bytes each: one thread for each cell of a chunk on GPUs, what fits on hosts.
inline Policy team_policy(ExecSpace const& exec, int league, std::size_t scratch) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  Policy policy(exec, league, chunk_cells, 1);
#else
  Policy policy(exec, league, Kokkos::AUTO);
#endif
  return policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
}

/// Arrays by plain pointers: closures of more than 512 bytes go through one buffer a device, and launches wait for it.
struct Pixels {
  int const* index;
  Real const* row;
  Real const* col;
  int size;
  explicit Pixels(PixelList const& list)
      : index(list.index.data()), row(list.row.data()), col(list.col.data()), size(list.size()) {}
};

/// Rows of a sinogram shard [view][channel][row], or slices of cylinders [block][position][lane].
template <class T>
struct Lines {
  T* data;
  Index outer, inner;  ///< strides
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(int i, Index j, int k) const { return data[i * outer + j * inner + k]; }
};
template <class T>
Lines<T> lines_of(Array4<T> const& sino) {
  return {sino.data(), Index(sino.stride(0)), Index(sino.stride(2))};
}
template <class T>
Lines<T> lines_of(Array3<T> const& cylinders) {
  return {cylinders.data(), Index(cylinders.stride(0)), Index(cylinders.stride(1))};
}

/// f(i) for i in [begin, end), over the threads of the team.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void each(Team const& team, int begin, int end, F const& f) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, end), f);
}

}  // namespace strata::separable_teams
