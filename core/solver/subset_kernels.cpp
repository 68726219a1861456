#include "core/solver/subset_kernels.hpp"

#include "core/base/lanes.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

/// Entries between the one that is worked on and the one that is fetched.
constexpr int fetch_distance = 8;

/// One work item: a group of lanes of one block and one chunk of entries.
struct Item {
  int chunk, block, lane, begin, end, real;
  KOKKOS_FUNCTION Item(Index item, ShardBlocks const& shard, int entries) {
    int const groups = shard.blocks.lanes / lane_group;
    lane = static_cast<int>(item % groups) * lane_group;
    block = static_cast<int>(item / groups % shard.blocks.per_shard);
    chunk = static_cast<int>(item / groups / shard.blocks.per_shard);
    begin = chunk * SliceSums::chunk;
    end = begin + SliceSums::chunk < entries ? begin + SliceSums::chunk : entries;
    real = shard.real_lanes(block) - lane;
  }
};

Index num_items(ShardBlocks const& shard, int entries) {
  return Index(num_chunks(entries)) * shard.blocks.per_shard * (shard.blocks.lanes / lane_group);
}

KOKKOS_FUNCTION void store(LaneSums const& sums, Array3<double> const& partial, int quantity, Item const& item,
                           int lanes) {
  for (int l = 0; l < lane_group; ++l)
    partial(item.chunk, quantity, item.block * lanes + item.lane + l) = sums.values[l];
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
  int const entries = arrays.pixels.size();
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::subset_slice_means", FlatPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        Item const item(i, shard, entries);
        LaneSums gradients, inverses;
        for (int t = item.begin; t < item.end; ++t) {
          Real const* __restrict const back = &arrays.back_projection(item.block, t, item.lane);
          Real const* __restrict const gradient = &arrays.prior_gradient(item.block, t, item.lane);
          Real const* __restrict const prior = &arrays.prior_curvature(item.block, t, item.lane);
          Real const* __restrict const hessian = &arrays.hessian(item.block, arrays.pixels.index(t), item.lane);
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
  int const entries = arrays.pixels.size();
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::subset_direction", FlatPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        Item const item(i, shard, entries);
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
          int const pixel = arrays.pixels.index(t);
          int const ahead = arrays.pixels.index(t + fetch_distance < item.end ? t + fetch_distance : t);
          fetch(&arrays.hessian(item.block, ahead, item.lane));
          fetch(&arrays.recon(item.block, ahead, item.lane));
          Real const* __restrict const back = &arrays.back_projection(item.block, t, item.lane);
          Real const* __restrict const gradient = &arrays.prior_gradient(item.block, t, item.lane);
          Real const* __restrict const prior = &arrays.prior_curvature(item.block, t, item.lane);
          Real const* __restrict const hessian = &arrays.hessian(item.block, pixel, item.lane);
          Real const* __restrict const x = &arrays.recon(item.block, pixel, item.lane);
          Real* __restrict const direction = &arrays.direction(item.block, t, item.lane);
#pragma omp simd
          for (int l = 0; l < lane_group; ++l) {
            Real const g = gradient[l] - rule.data_factor * back[l];
            Real d = -(g - shift[l]) / (rule.data_factor * hessian[l] + prior[l]);
            Real const clipped = x[l] <= 0 && g > 0 ? Real(0) : (d > -x[l] ? d : -x[l]);
            d = rule.clip_direction ? clipped : d;
            d = l < item.real ? d : Real(0);
            direction[l] = d;
            descent.values[l] -= l < item.real ? double(g) * double(d) : 0;
            curvature.values[l] += l < item.real ? double(prior[l]) * double(d) * double(d) : 0;
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
      "strata::clip_direction_for_step", FlatPolicy(exec, 0, Index(direction.extent_int(0)) * entries),
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
      "strata::apply_step", FlatPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        Item const item(i, shard, entries);
        LaneSums change, squares;
        for (int t = item.begin; t < item.end; ++t) {
          fetch(&recon(item.block, pixels.index(t + fetch_distance < item.end ? t + fetch_distance : t), item.lane));
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
      "strata::absolute_sum", FlatPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        Item const item(i, shard, entries);
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
