#include "core/solver/objective_kernels.hpp"

#include "core/base/lanes.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

/// Adds what `lane_group` entries at `at` contribute.
template <int n>
KOKKOS_FORCEINLINE_FUNCTION void add_entries(SinogramPointers const& s, Index at, bool subtract_error,
                                             LaneSums (&sums)[num_quadratic_sums(n)]) {
  Real const* __restrict const error = s.error + at;
  Real const* __restrict const weights = s.weights ? s.weights + at : nullptr;
  if (n > 0 && subtract_error) {
    Real* __restrict const first = s.projections[0] + at;
#pragma omp simd
    for (int l = 0; l < lane_group; ++l) first[l] -= error[l];
  }
  double inverse[lane_group];
#pragma omp simd
  for (int l = 0; l < lane_group; ++l) {
    Real const w = weights ? weights[l] : Real(1);
    inverse[l] = w > 0 ? 1 / double(w) : 0;
  }
  // Index 0 stands for the error, i for projection i - 1.
  int next = 0;
  for (int i = 0; i <= n; ++i) {
    Real const* __restrict const a = i == 0 ? error : s.projections[i > 0 ? i - 1 : 0] + at;
    double scaled[lane_group];
#pragma omp simd
    for (int l = 0; l < lane_group; ++l) scaled[l] = inverse[l] > 0 ? double(a[l]) * inverse[l] : 0;
    for (int j = i; j <= n; ++j, ++next) {
      Real const* __restrict const b = j == 0 ? error : s.projections[j > 0 ? j - 1 : 0] + at;
#pragma omp simd
      for (int l = 0; l < lane_group; ++l) sums[next].values[l] += inverse[l] > 0 ? scaled[l] * double(b[l]) : 0;
    }
  }
}

template <int n>
void launch_channels(ExecSpace const& exec, int num_views, SinogramLayout const& layout, SinogramPointers const& s,
                     bool subtract_error, Array3<double> const& per_row) {
  int const blocks = layout.rows.num_blocks();
  int const lanes = layout.rows.lanes;
  int const groups = lanes / lane_group;
  int const channels = layout.num_channels;
  constexpr int num_sums = num_quadratic_sums(n);
  Kokkos::parallel_for(
      "strata::sum_channels_along", FlatPolicy(exec, 0, Index(num_views) * blocks * groups), KOKKOS_LAMBDA(Index item) {
        int const group = static_cast<int>(item % groups);
        int const block = static_cast<int>(item / groups % blocks);
        int const view = static_cast<int>(item / groups / blocks);
        Index const begin = (Index(view) * blocks + block) * s.stored_channels * lanes + group * lane_group;
        LaneSums sums[num_sums];
        for (int channel = 0; channel < channels; ++channel)
          add_entries<n>(s, begin + Index(channel) * lanes, subtract_error, sums);
        int const row = (block * groups + group) * lane_group;
        for (int q = 0; q < num_sums; ++q)
          for (int l = 0; l < lane_group; ++l) per_row(q, view, row + l) = sums[q].values[l];
      });
}

}  // namespace

void sum_channels_along(ExecSpace const& exec, int count, int num_views, SinogramLayout const& layout,
                        SinogramPointers const& sinograms, bool subtract_error, Array3<double> const& per_row) {
  switch (count) {
    case 0:
      return launch_channels<0>(exec, num_views, layout, sinograms, subtract_error, per_row);
    case 1:
      return launch_channels<1>(exec, num_views, layout, sinograms, subtract_error, per_row);
    case 2:
      return launch_channels<2>(exec, num_views, layout, sinograms, subtract_error, per_row);
    default:
      return launch_channels<3>(exec, num_views, layout, sinograms, subtract_error, per_row);
  }
}

void sum_rows_along(ExecSpace const& exec, int sums, int num_views, SliceBlocks const& rows,
                    Array3<double> const& per_row, Array2<double> const& per_view) {
  Kokkos::parallel_for(
      "strata::sum_rows_along", Kokkos::RangePolicy<ExecSpace>(exec, 0, sums * num_views), KOKKOS_LAMBDA(int item) {
        int const q = item / num_views;
        int const view = item - q * num_views;
        double sum = 0;
        for (int block = 0; block < rows.num_blocks(); ++block) {
          int const count = rows.slices(block).size();
          for (int lane = 0; lane < count; ++lane) sum += per_row(q, view, block * rows.lanes + lane);
        }
        per_view(q, view) = sum;
      });
}

void add_parts(ExecSpace const& exec, int sums, Array3<double> const& parts, Array2<double> const& slices) {
  int const num_slices = slices.extent_int(1);
  Kokkos::parallel_for(
      "strata::add_parts", Kokkos::RangePolicy<ExecSpace>(exec, 0, sums * num_slices), KOKKOS_LAMBDA(int item) {
        int const q = item / num_slices;
        int const slice = item - q * num_slices;
        double sum = 0;
        for (int part = 0; part < parts.extent_int(0); ++part) sum += parts(part, q, slice);
        slices(q, slice) = sum;
      });
}

}  // namespace strata
