#include "core/solver/subset_kernels.hpp"

#include "core/solver/slice_items.hpp"

namespace strata {
namespace {

/// direction = 0 where x <= 0 and the objective rises with x, else max(direction, -x); lanes below `real` alone.
KOKKOS_INLINE_FUNCTION void clip_to_positive(Real const* __restrict g, Real const* __restrict x, int real,
                                             Real* __restrict direction) {
#pragma omp simd
  for (int l = 0; l < lane_group; ++l) {
    Real const d = direction[l], lowest = -x[l];
    Real const above = d > lowest ? d : lowest;
    Real const held = g[l] > 0 ? Real(0) : above;
    Real const clipped = lowest >= 0 ? held : above;
    direction[l] = l < real ? clipped : Real(0);
  }
}

}  // namespace

SliceSums::SliceSums(ExecSpace const& exec, SliceBlocks const& blocks, int quantities, int max_entries)
    : quantities_(quantities),
      partial_(make_zero_view<Array3<double>>(exec, "strata::slice_sums_partial",
                                              max_entries > 0 ? num_chunks(max_entries) : 1, quantities,
                                              blocks.per_shard * blocks.lanes)),
      total_(make_zero_view<Array2<double>>(exec, "strata::slice_sums", quantities, blocks.per_shard * blocks.lanes)) {}

void SliceSums::add_chunks(ExecSpace const& exec, int entries, bool accumulate) const {
  auto const partial = partial_;
  auto const total = total_;
  int const chunks = num_chunks(entries);
  int const slices = total.extent_int(1);
  Kokkos::parallel_for(
      "strata::add_chunks", Kokkos::RangePolicy<ExecSpace>(exec, 0, quantities_ * slices), KOKKOS_LAMBDA(int item) {
        int const quantity = item / slices;
        int const slice = item % slices;
        double sum = accumulate ? total(quantity, slice) : 0;
        for (int c = 0; c < chunks; ++c) sum += partial(c, quantity, slice);
        total(quantity, slice) = sum;
      });
}

void subset_slice_means(ExecSpace const& exec, ShardBlocks const& shard, DirectionRule const& rule,
                        SubsetArrays const& arrays, SliceSums const& sums) {
  int const entries = arrays.pixels.extent_int(0);
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::subset_slice_means", ItemPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        SliceItem const item(i, shard, entries);
        LaneSums gradients, inverses;
        for (int t = item.begin; t < item.end; ++t) {
          Real const* __restrict const back = &arrays.back_projection(item.block, t, item.lane);
          Real const* __restrict const gradient = &arrays.prior_gradient(item.block, t, item.lane);
          Real const* __restrict const prior = &arrays.prior_curvature(item.block, t, item.lane);
          Real const* __restrict const hessian = &arrays.hessian(item.block, arrays.pixels(t), item.lane);
#pragma omp simd
          for (int l = 0; l < lane_group; ++l) {
            double const g = double(gradient[l]) - double(rule.data_factor) * double(back[l]);
            double const inverse = 1 / (double(rule.data_factor) * double(hessian[l]) + double(prior[l]));
            gradients.values[l] += l < item.real ? g * inverse : 0;
            inverses.values[l] += l < item.real ? inverse : 0;
          }
        }
        store(gradients, partial, 0, item, shard.blocks.lanes);
        store(inverses, partial, 1, item, shard.blocks.lanes);
      });
  sums.add_chunks(exec, entries, false);
}

void subset_direction(ExecSpace const& exec, ShardBlocks const& shard, DirectionRule const& rule,
                      SubsetArrays const& arrays, SliceSums const& sums) {
  int const entries = arrays.pixels.extent_int(0);
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::subset_direction", ItemPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        SliceItem const item(i, shard, entries);
        int const real = item.real;
        bool const clip = rule.clip_direction;
        Real const factor = rule.data_factor;
        LaneSums descent, curvature;
        Real shift[lane_group];  // what damping takes off the gradient of a slice
        for (int l = 0; l < lane_group; ++l) {
          int const slice = item.block * shard.blocks.lanes + item.lane + l;
          bool const damped = arrays.undamped.extent(0) > 0 && l < item.real && arrays.means(1, slice) > 0;
          shift[l] = damped
                         ? static_cast<Real>(arrays.undamped(slice) * (arrays.means(0, slice) / arrays.means(1, slice)))
                         : Real(0);
        }
        for (int t = item.begin; t < item.end; ++t) {
          int const pixel = arrays.pixels(t);
          int const ahead = arrays.pixels(item.ahead(t));
          fetch(&arrays.hessian(item.block, ahead, item.lane));
          fetch(&arrays.recon(item.block, ahead, item.lane));
          Real const* __restrict const back = &arrays.back_projection(item.block, t, item.lane);
          Real const* __restrict const gradient = &arrays.prior_gradient(item.block, t, item.lane);
          Real const* __restrict const prior = &arrays.prior_curvature(item.block, t, item.lane);
          Real const* __restrict const hessian = &arrays.hessian(item.block, pixel, item.lane);
          Real const* __restrict const x = &arrays.recon(item.block, pixel, item.lane);
          Real* __restrict const direction = &arrays.direction(item.block, t, item.lane);
          Real slopes[lane_group], bounds[lane_group];
#pragma omp simd
          for (int l = 0; l < lane_group; ++l) {
            Real const slope = gradient[l] - factor * back[l];
            slopes[l] = l < real ? slope : Real(0);
            bounds[l] = l < real ? prior[l] : Real(0);
            Real const free = (shift[l] - slope) / (factor * hessian[l] + prior[l]);
            direction[l] = l < real ? free : Real(0);
          }
          if (clip) clip_to_positive(slopes, x, real, direction);
#pragma omp simd
          for (int l = 0; l < lane_group; ++l) {
            double const d = direction[l];
            descent.values[l] -= double(slopes[l]) * d;
            curvature.values[l] += double(bounds[l]) * d * d;
          }
        }
        store(descent, partial, 0, item, shard.blocks.lanes);
        store(curvature, partial, 1, item, shard.blocks.lanes);
      });
  sums.add_chunks(exec, entries, false);
}

void clip_direction_for_step(ExecSpace const& exec, PixelList const& pixels, ConstCylinders const& recon, Real alpha,
                             Cylinders const& direction) {
  int const entries = pixels.size();
  int const lanes = direction.extent_int(2);
  Real const eps = Kokkos::Experimental::epsilon_v<Real>;
  Kokkos::parallel_for(
      "strata::clip_direction_for_step", ItemPolicy(exec, 0, Index(direction.extent_int(0)) * entries),
      KOKKOS_LAMBDA(Index item) {
        int const t = static_cast<int>(item % entries);
        int const block = static_cast<int>(item / entries);
        for (int lane = 0; lane < lanes; ++lane) {
          Real const lowest = -recon(block, pixels.index(t), lane) / (alpha + eps);
          Real const d = direction(block, t, lane);
          direction(block, t, lane) = d > lowest ? d : lowest;
        }
      });
}

void apply_step(ExecSpace const& exec, ShardBlocks const& shard, PixelList const& pixels, Real alpha,
                ConstCylinders const& direction, Cylinders const& recon, SliceSums const& sums) {
  int const entries = pixels.size();
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::apply_step", ItemPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        SliceItem const item(i, shard, entries);
        LaneSums change, squares;
        for (int t = item.begin; t < item.end; ++t) {
          fetch(&recon(item.block, pixels.index(item.ahead(t)), item.lane));
          Real const* __restrict const d = &direction(item.block, t, item.lane);
          Real* __restrict const x = &recon(item.block, pixels.index(t), item.lane);
#pragma omp simd
          for (int l = 0; l < lane_group; ++l) {
            Real const step = l < item.real ? alpha * d[l] : Real(0);
            x[l] = l < item.real ? x[l] + step : x[l];
            change.values[l] += Kokkos::abs(double(step));
            squares.values[l] += double(step) * double(step);
          }
        }
        store(change, partial, 0, item, shard.blocks.lanes);
        store(squares, partial, 1, item, shard.blocks.lanes);
      });
  sums.add_chunks(exec, entries, true);
}

void absolute_sum(ExecSpace const& exec, ShardBlocks const& shard, ConstCylinders const& recon, SliceSums const& sums) {
  int const entries = recon.extent_int(1);
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::absolute_sum", ItemPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        SliceItem const item(i, shard, entries);
        LaneSums sum;
        for (int t = item.begin; t < item.end; ++t) {
          Real const* __restrict const x = &recon(item.block, t, item.lane);
#pragma omp simd
          for (int l = 0; l < lane_group; ++l) sum.values[l] += l < item.real ? Kokkos::abs(double(x[l])) : 0;
        }
        store(sum, partial, 0, item, shard.blocks.lanes);
      });
  sums.add_chunks(exec, entries, false);
}

}  // namespace strata
