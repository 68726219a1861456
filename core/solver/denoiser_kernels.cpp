#include "core/solver/denoiser_kernels.hpp"

#include "core/solver/slice_items.hpp"

namespace strata {
namespace {

/// What the kernels read of one entry, `lane_group` numbers each.
struct Entry {
  Real const* gradient;
  Real const* curvature;
  Real const* image;
  KOKKOS_FUNCTION Entry(DenoiseArrays const& arrays, SliceItem const& item, int entry)
      : gradient(&arrays.prior_gradient(item.block, entry, item.lane)),
        curvature(&arrays.prior_curvature(item.block, entry, item.lane)),
        image(&arrays.image(item.block, arrays.pixels.index(entry), item.lane)) {}
};

KOKKOS_INLINE_FUNCTION void fetch_entry(DenoiseArrays const& arrays, ConstCylinders const& recon, SliceItem const& item,
                                        int entry) {
  int const pixel = arrays.pixels.index(item.ahead(entry));
  fetch(&arrays.image(item.block, pixel, item.lane));
  fetch(&recon(item.block, pixel, item.lane));
}

}  // namespace

void denoise_step(ExecSpace const& exec, ShardBlocks const& shard, DenoiseRule const& rule, DenoiseArrays const& arrays,
                  Cylinders const& recon, SliceSums const& sums) {
  int const entries = arrays.pixels.size();
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::denoise_step", ItemPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        SliceItem const item(i, shard, entries);
        int const real = item.real;
        LaneSums change, squares, magnitude, errors;
        for (int t = item.begin; t < item.end; ++t) {
          fetch_entry(arrays, recon, item, t);
          Entry const at(arrays, item, t);
          Real const* __restrict const g = at.gradient;
          Real const* __restrict const h = at.curvature;
          Real const* __restrict const v = at.image;
          Real* __restrict const x = &recon(item.block, arrays.pixels.index(t), item.lane);
#pragma omp simd
          for (int l = 0; l < lane_group; ++l) {
            // All loads come before the first choice: compilers do not vectorise loads that depend on one.
            Real const here = x[l], noisy = v[l];
            Real const step = (rule.data_factor * (noisy - here) - g[l]) / (rule.data_curvature + h[l]);
            Real const d = l < real ? step : Real(0);
            Real const moved = here + d;
            x[l] = moved;
            double const value = l < real ? moved : Real(0);
            double const error = l < real ? noisy - moved : Real(0);
            change.values[l] += Kokkos::abs(double(d));
            squares.values[l] += double(d) * double(d);
            magnitude.values[l] += Kokkos::abs(value);
            errors.values[l] += error * error;
          }
        }
        store(change, partial, step_magnitude, item, shard.blocks.lanes);
        store(squares, partial, step_square, item, shard.blocks.lanes);
        store(magnitude, partial, recon_magnitude, item, shard.blocks.lanes);
        store(errors, partial, error_square, item, shard.blocks.lanes);
      });
  sums.add_chunks(exec, entries, true);
}

void denoise_direction(ExecSpace const& exec, ShardBlocks const& shard, DenoiseRule const& rule,
                       DenoiseArrays const& arrays, ConstCylinders const& recon, Cylinders const& direction,
                       SliceSums const& sums) {
  int const entries = arrays.pixels.size();
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::denoise_direction", ItemPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        SliceItem const item(i, shard, entries);
        int const real = item.real;
        LaneSums descent, curvature;
        for (int t = item.begin; t < item.end; ++t) {
          fetch_entry(arrays, recon, item, t);
          Entry const at(arrays, item, t);
          Real const* __restrict const g = at.gradient;
          Real const* __restrict const h = at.curvature;
          Real const* __restrict const v = at.image;
          Real const* __restrict const x = &recon(item.block, arrays.pixels.index(t), item.lane);
          Real* __restrict const direct = &direction(item.block, t, item.lane);
#pragma omp simd
          for (int l = 0; l < lane_group; ++l) {
            Real const prior_curvature = h[l];
            Real const slope = l < real ? rule.data_factor * (v[l] - x[l]) - g[l] : Real(0);
            Real const d = slope / (rule.data_curvature + prior_curvature);
            direct[l] = d;
            descent.values[l] += double(slope) * double(d);
            curvature.values[l] += (double(rule.data_factor) + double(prior_curvature)) * double(d) * double(d);
          }
        }
        store(descent, partial, 0, item, shard.blocks.lanes);
        store(curvature, partial, 1, item, shard.blocks.lanes);
      });
  sums.add_chunks(exec, entries, false);
}

void image_sums(ExecSpace const& exec, ShardBlocks const& shard, ConstCylinders const& recon,
                ConstCylinders const& image, SliceSums const& sums) {
  int const entries = recon.extent_int(1);
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::image_sums", ItemPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        SliceItem const item(i, shard, entries);
        int const real = item.real;
        LaneSums magnitude, errors;
        for (int t = item.begin; t < item.end; ++t) {
          Real const* __restrict const x = &recon(item.block, t, item.lane);
          Real const* __restrict const v = &image(item.block, t, item.lane);
#pragma omp simd
          for (int l = 0; l < lane_group; ++l) {
            double const value = l < real ? x[l] : Real(0);
            double const error = l < real ? v[l] - x[l] : Real(0);
            magnitude.values[l] += Kokkos::abs(value);
            errors.values[l] += error * error;
          }
        }
        store(magnitude, partial, 0, item, shard.blocks.lanes);
        store(errors, partial, 1, item, shard.blocks.lanes);
      });
  sums.add_chunks(exec, entries, false);
}

}  // namespace strata
