#include "core/model/shard_access.hpp"
#include "prior/qggmrf_kernels.hpp"
#include "prior/sweep_access.hpp"

namespace strata {
namespace {

/// Where the three forward differences of a voxel end.
struct ForwardNeighbours {
  int row, col;  ///< pixels
  int lane;      ///< of the next slice; `real` when it lies in another block
};

KOKKOS_INLINE_FUNCTION void forward_differences(SweepVolume const& shape, SweepArray const& array, int block, int pixel,
                                                int lane, int real, ForwardNeighbours const& to, Real (&d)[3]) {
  Real const x = array.at(shape, block, pixel, lane);
  d[0] = array.at(shape, block, to.row, lane) - x;
  d[1] = array.at(shape, block, to.col, lane) - x;
  d[2] = (to.lane < real ? array.at(shape, block, pixel, to.lane) : array.after(shape, block, pixel, real)) - x;
}

/// Adds what one voxel contributes to sums[num_quadratic_sums(n)].
template <int n>
KOKKOS_INLINE_FUNCTION void add_voxel(QGGMRFPotential const& f, Real const (&d)[3], Real const (&steps)[n + 1][3],
                                      double* sums) {
  Real const weights[3] = {f.weight_row, f.weight_col, f.weight_slice};
  for (int axis = 0; axis < 3; ++axis) {
    sums[0] += weights[axis] * f.value(d[axis]);
    if (n == 0) continue;
    Real const c = weights[axis] * f.curvature(d[axis]);
    int next = 1;
    for (int i = 0; i < n; ++i) sums[next++] += c * d[axis] * steps[i][axis];
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j) sums[next++] += c * steps[i][axis] * steps[j][axis];
  }
}

template <int n>
void launch_surrogate(ExecSpace const& exec, QGGMRFPotential const& f, SweepVolume const& volume,
                      SweepDirections const& directions, Array3<double> const& partial) {
  Index const slices = Index(volume.blocks.per_shard) * volume.blocks.lanes;
  constexpr int num_sums = num_quadratic_sums(n);
  Kokkos::parallel_for(
      "strata::qggmrf_surrogate_by_voxel",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, slices * Prior::surrogate_parts),
      KOKKOS_LAMBDA(Index item) {
        int const part = static_cast<int>(item / slices);
        int const block = static_cast<int>(item % slices / volume.blocks.lanes);
        int const lane = static_cast<int>(item % volume.blocks.lanes);
        int const real = volume.real_lanes(block);
        if (lane >= real) return;
        double sums[num_sums] = {};
        Range const pixels = volume.part(part);
        for (int p = pixels.begin; p < pixels.end; ++p) {
          PlaneNeighbours const near(p, volume.num_rows, volume.num_cols);
          ForwardNeighbours const to{near.row_after, near.col_after, lane + 1};
          Real d[3], steps[n + 1][3];
          forward_differences(volume, volume.x, block, p, lane, real, to, d);
          for (int i = 0; i < n; ++i) forward_differences(volume, directions.d[i], block, p, lane, real, to, steps[i]);
          add_voxel<n>(f, d, steps, sums);
        }
        for (int q = 0; q < num_sums; ++q) partial(part, q, block * volume.blocks.lanes + lane) = sums[q];
      });
}

}  // namespace

void qggmrf_surrogate_by_voxel(ExecSpace const& exec, QGGMRFPotential const& potential, VolumeShard const& volume,
                               DirectionShards const& directions, Array3<double> const& partial) {
  SweepVolume const sweep(volume);
  SweepDirections const beside(directions);
  switch (directions.count) {
    case 0:
      return launch_surrogate<0>(exec, potential, sweep, beside, partial);
    case 1:
      return launch_surrogate<1>(exec, potential, sweep, beside, partial);
    case 2:
      return launch_surrogate<2>(exec, potential, sweep, beside, partial);
    default:
      return launch_surrogate<3>(exec, potential, sweep, beside, partial);
  }
}

}  // namespace strata
