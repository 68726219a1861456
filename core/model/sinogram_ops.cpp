#include "core/model/sinogram_ops.hpp"

#include "core/base/lanes.hpp"
#include "core/model/sinogram_entries.hpp"
#include "core/placement/collect.hpp"
#include "core/placement/per_device.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

struct Product {
  static KOKKOS_FUNCTION double term(Real a, Real b, Real c) { return double(a) * double(b) * double(c); }
};
struct First {
  static KOKKOS_FUNCTION double term(Real a, Real, Real) { return double(a); }
};
struct WeightedSquare {
  static KOKKOS_FUNCTION double term(Real u, Real w, Real) { return w > 0 ? double(u) * double(u) / double(w) : 0; }
};
struct SquaredError {
  static KOKKOS_FUNCTION double term(Real u, Real w, Real) {
    double const e = w > 0 ? double(u) / double(w) : 0;
    return e * e;
  }
};

/// per_row[view][row] = sum over channels of Term(a, b, c). Empty views stand for ones.
template <class Term>
void sum_channels(ExecSpace const& exec, int num_views, SinogramLayout const& layout, ConstSinogram const& a,
                  ConstSinogram const& b, ConstSinogram const& c, Array2<double> const& per_row) {
  int const blocks = layout.rows.num_blocks();
  int const groups = layout.rows.lanes / lane_group;
  int const channels = layout.num_channels;
  bool const has_b = b.extent(0) > 0;
  bool const has_c = c.extent(0) > 0;
  Kokkos::parallel_for(
      "strata::sum_channels", FlatPolicy(exec, 0, Index(num_views) * blocks * groups), KOKKOS_LAMBDA(Index item) {
        int const group = static_cast<int>(item % groups);
        int const block = static_cast<int>(item / groups % blocks);
        int const view = static_cast<int>(item / groups / blocks);
        LaneSums sums;
        for (int channel = 0; channel < channels; ++channel) {
          Real const* __restrict const pa = &a(view, block, channel, group * lane_group);
          Real const* __restrict const pb = has_b ? &b(view, block, channel, group * lane_group) : nullptr;
          Real const* __restrict const pc = has_c ? &c(view, block, channel, group * lane_group) : nullptr;
#pragma omp simd
          for (int l = 0; l < lane_group; ++l)
            sums.values[l] += Term::term(pa[l], has_b ? pb[l] : Real(1), has_c ? pc[l] : Real(1));
        }
        int const row = (block * groups + group) * lane_group;
        for (int l = 0; l < lane_group; ++l) per_row(view, row + l) = sums.values[l];
      });
}

/// per_view[view] = sum over real rows, in their order.
void sum_rows(ExecSpace const& exec, int num_views, SliceBlocks const& rows, Array2<double> const& per_row,
              Array1<double> const& per_view) {
  Kokkos::parallel_for(
      "strata::sum_rows", Kokkos::RangePolicy<ExecSpace>(exec, 0, num_views), KOKKOS_LAMBDA(int view) {
        double sum = 0;
        for (int block = 0; block < rows.num_blocks(); ++block) {
          int const count = rows.slices(block).size();
          for (int lane = 0; lane < count; ++lane) sum += per_row(view, block * rows.lanes + lane);
        }
        per_view(view) = sum;
      });
}

template <class Term>
double reduce(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& a,
              ShardedSinogram const* b, ShardedSinogram const* c) {
  ConstSinogram const none;
  sums.views().devices()->for_each([&](int d, ExecSpace const& exec) {
    int const views = sums.views().owned(d).size();
    ConstSinogram const vb = b ? ConstSinogram((*b)[d]) : none;
    ConstSinogram const vc = c ? ConstSinogram((*c)[d]) : none;
    sum_channels<Term>(exec, views, layout, a[d], vb, vc, sums.per_row(d));
    sum_rows(exec, views, layout.rows, sums.per_row(d), sums.per_view(d));
  });
  return sums.total();
}

void fill_shard(ExecSpace const& exec, int num_views, SinogramLayout const& layout, Sinogram const& a, Real value) {
  SinogramEntries const entries(layout, num_views, a);
  int const lanes = layout.rows.lanes;
  Real* const values = a.data();
  Kokkos::parallel_for(
      "strata::fill", FlatPolicy(exec, 0, entries.size(a.extent_int(0))), KOKKOS_LAMBDA(Index item) {
        int const real = entries.rows(item).size();
        for (int lane = 0; lane < lanes; ++lane) values[item * lanes + lane] = lane < real ? value : Real(0);
      });
}

void residual_shard(ExecSpace const& exec, ConstSinogram const& y, Real t, ConstSinogram const& ax,
                    ConstSinogram const& weights, Sinogram const& out) {
  Real const* const py = y.data();
  Real* const po = out.data();
  Real const* const pa = ax.data();
  Real const* const pw = weights.extent(0) > 0 ? weights.data() : nullptr;
  Kokkos::parallel_for(
      "strata::weighted_residual", FlatPolicy(exec, 0, static_cast<Index>(y.size())),
      KOKKOS_LAMBDA(Index i) { po[i] = (pw ? pw[i] : Real(1)) * (py[i] - t * pa[i]); });
}

}  // namespace

SinogramSums::SinogramSums(Placement const& views, SliceBlocks const& rows) : views_(views) {
  DeviceSet const& devices = *views.devices();
  int const size = views.shard_size();
  per_row_ = per_local_device(devices, [&](int d) {
    return make_view<Array2<double>>(devices.exec(d), "strata::sums_per_row", size, rows.num_blocks() * rows.lanes);
  });
  per_view_ = per_local_device(
      devices, [&](int d) { return make_view<Array1<double>>(devices.exec(d), "strata::sums_per_view", size); });
  host_ = make_host_arrays<HostArray>(devices, "strata::sums_host", size);
}

double SinogramSums::total() const {
  views_.devices()->for_each([&](int d, ExecSpace const& exec) { Kokkos::deep_copy(exec, host_[d], per_view_[d]); });
  views_.devices()->fence("sums: the host adds the views");
  auto const all = collect(*views_.devices(), host_);
  double total = 0;
  for (int d = 0; d < all.num_devices(); ++d)
    for (int v = 0; v < views_.owned(d).size(); ++v) total += all[d](v);
  return total;
}

double sum_of_products(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& a,
                       ShardedSinogram const& b, ShardedSinogram const* c) {
  return reduce<Product>(sums, layout, a, &b, c);
}

double sum(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& a) {
  return reduce<First>(sums, layout, a, nullptr, nullptr);
}

double sum_of_weighted_squares(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& u,
                               ShardedSinogram const* weights) {
  return reduce<WeightedSquare>(sums, layout, u, weights, nullptr);
}

double sum_of_squared_errors(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& u,
                             ShardedSinogram const* weights) {
  return reduce<SquaredError>(sums, layout, u, weights, nullptr);
}

void fill(SinogramLayout const& layout, ShardedSinogram const& a, Real value) {
  a.placement.devices()->for_each(
      [&](int d, ExecSpace const& exec) { fill_shard(exec, a.placement.owned(d).size(), layout, a[d], value); });
  a.placement.devices()->fence("fill: read next");
}

void weighted_residual(ShardedSinogram const& y, Real t, ShardedSinogram const& ax, ShardedSinogram const* weights,
                       ShardedSinogram const& out) {
  ConstSinogram const none;
  y.placement.devices()->for_each([&](int d, ExecSpace const& exec) {
    residual_shard(exec, y[d], t, ax[d], weights ? ConstSinogram((*weights)[d]) : none, out[d]);
  });
  y.placement.devices()->fence("weighted_residual: read next");
}

}  // namespace strata
