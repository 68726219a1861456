/// Element-wise work and sums on sharded sinograms. Sums are in double, over real entries alone, in an order that does
/// not depend on threads or devices: channels, then rows, then views.
#pragma once

#include "core/placement/sharded.hpp"
#include "core/placement/sinogram_layout.hpp"

namespace strata {

/// Room for the per-view sums of a sharded sinogram; allocated once.
class SinogramSums {
 public:
  SinogramSums(Placement const& views, SliceBlocks const& rows);

  Placement const& views() const { return views_; }
  Array2<double> const& per_row(int device) const { return per_row_[device]; }  ///< [view][row block * lanes + lane]
  Array1<double> const& per_view(int device) const { return per_view_[device]; }
  /// Adds what per_view() holds, all devices, views in order. Waits for the devices.
  double total() const;

 private:
  using HostArray = Kokkos::View<double*, Kokkos::HostSpace>;
  Placement views_;
  std::vector<Array2<double>> per_row_;
  std::vector<Array1<double>> per_view_;
  std::vector<HostArray> host_;
};

/// Sum of a * b * c; an empty `c` (no shards) stands for ones.
double sum_of_products(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& a,
                       ShardedSinogram const& b, ShardedSinogram const* c = nullptr);
/// Sum of a.
double sum(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& a);
/// Sum of e^2 w for a weighted error u = w e, that is of u^2 / w where w > 0. No weights: sum of u^2.
double sum_of_weighted_squares(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& u,
                               ShardedSinogram const* weights);
/// Sum of e^2 over entries with w > 0.
double sum_of_squared_errors(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& u,
                             ShardedSinogram const* weights);

/// Real entries of `a` become `value`, all others 0.
void fill(SinogramLayout const& layout, ShardedSinogram const& a, Real value);
/// out = w . (y - t * ax); no weights: y - t * ax. `out` may be y or ax.
void weighted_residual(ShardedSinogram const& y, Real t, ShardedSinogram const& ax, ShardedSinogram const* weights,
                       ShardedSinogram const& out);

}  // namespace strata
