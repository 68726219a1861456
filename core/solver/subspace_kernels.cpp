#include "core/solver/subspace_kernels.hpp"

#include "core/base/lanes.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

struct Factors {
  Real t[DirectionShards::most];
};

/// Shards are whole vectors of lanes long.
template <int n>
void launch_advance(ExecSpace const& exec, Factors const& factors, Real sign, FlatShards const& shards) {
  Kokkos::parallel_for(
      "strata::subspace_advance", FlatPolicy(exec, 0, shards.size / lane_group), KOKKOS_LAMBDA(Index group) {
        Index const begin = group * lane_group;
    // The newest may stand where a direction stood; entries do not depend on each other.
#pragma omp simd
        for (int l = 0; l < lane_group; ++l) {
          Real step = 0;
          for (int k = 0; k < n; ++k) step += factors.t[k] * shards.directions[k][begin + l];
          shards.x[begin + l] += sign * step;
          shards.newest[begin + l] = shards.directions[0][begin + l] + step;
        }
      });
}

}  // namespace

void replace_by_difference(ExecSpace const& exec, Index size, Real const* other, Real* value) {
  Kokkos::parallel_for(
      "strata::replace_by_difference", FlatPolicy(exec, 0, size),
      KOKKOS_LAMBDA(Index i) { value[i] = other[i] - value[i]; });
}

void add_to(ExecSpace const& exec, Index size, Real const* other, Real* value) {
  Kokkos::parallel_for(
      "strata::add_to", FlatPolicy(exec, 0, size), KOKKOS_LAMBDA(Index i) { value[i] += other[i]; });
}

void subtract_from(ExecSpace const& exec, Index size, Real const* other, Real* value) {
  Kokkos::parallel_for(
      "strata::subtract_from", FlatPolicy(exec, 0, size), KOKKOS_LAMBDA(Index i) { value[i] -= other[i]; });
}

void advance(ExecSpace const& exec, int count, std::array<double, DirectionShards::most> const& factors, Real sign,
             FlatShards const& shards) {
  Factors real{};
  for (int i = 0; i < count; ++i) real.t[i] = static_cast<Real>(factors[i]);
  switch (count) {
    case 1:
      return launch_advance<1>(exec, real, sign, shards);
    case 2:
      return launch_advance<2>(exec, real, sign, shards);
    default:
      return launch_advance<3>(exec, real, sign, shards);
  }
}

void retreat(ExecSpace const& exec, Real sign, bool positive, FlatShards const& shards) {
  Kokkos::parallel_for(
      "strata::subspace_retreat", FlatPolicy(exec, 0, shards.size), KOKKOS_LAMBDA(Index i) {
        Real const value = shards.x[i] - sign * (shards.newest[i] - shards.directions[0][i]);
        shards.x[i] = positive && value < 0 ? Real(0) : value;
      });
}

void flag_negative(ExecSpace const& exec, ShardBlocks const& shard, ConstCylinders const& x, Array2<int> const& flags) {
  Index const pixels = x.extent_int(1);
  Kokkos::parallel_for(
      "strata::flag_negative", FlatPolicy(exec, 0, shard.blocks.per_shard * pixels), KOKKOS_LAMBDA(Index item) {
        int const block = static_cast<int>(item / pixels);
        int const pixel = static_cast<int>(item % pixels);
        int const real = shard.real_lanes(block);
        int found = 0;
        for (int lane = 0; lane < real; ++lane) found |= x(block, pixel, lane) < 0 ? 1 : 0;
        flags(block, pixel) = found;
      });
}

void take_negative(ExecSpace const& exec, ShardBlocks const& shard, PixelList const& pixels, Cylinders const& x,
                   Cylinders const& direction, Cylinders const& missing) {
  Index const entries = pixels.size();
  int const lanes = x.extent_int(2);
  Kokkos::parallel_for(
      "strata::take_negative", FlatPolicy(exec, 0, shard.blocks.per_shard * entries * lanes),
      KOKKOS_LAMBDA(Index item) {
        int const lane = static_cast<int>(item % lanes);
        int const t = static_cast<int>(item / lanes % entries);
        int const block = static_cast<int>(item / lanes / entries);
        int const pixel = pixels.index(t);
        Real const value = x(block, pixel, lane);
        bool const negative = lane < shard.real_lanes(block) && value < 0;
        missing(block, t, lane) = negative ? -value : Real(0);
        if (!negative) return;
        x(block, pixel, lane) = 0;
        direction(block, pixel, lane) -= value;
      });
}

void rows_and_columns(ExecSpace const& exec, int count, int num_cols, Array1<int const> const& index,
                      Array1<Real> const& row, Array1<Real> const& col) {
  Kokkos::parallel_for(
      "strata::rows_and_columns", Kokkos::RangePolicy<ExecSpace>(exec, 0, count), KOKKOS_LAMBDA(int t) {
        row(t) = static_cast<Real>(index(t) / num_cols);
        col(t) = static_cast<Real>(index(t) % num_cols);
      });
}

}  // namespace strata
