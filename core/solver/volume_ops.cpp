#include "core/solver/volume_ops.hpp"

#include <numeric>

#include "core/placement/per_device.hpp"

namespace strata {
namespace {

void combine_shards(ExecSpace const& exec, Real a, ConstCylinders const& x, Real b, ConstCylinders const& y,
                    Cylinders const& out) {
  Real const* const px = x.data();
  Real const* const py = y.data();
  Real* const po = out.data();
  Kokkos::parallel_for(
      "strata::combine",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, static_cast<Index>(out.size())),
      KOKKOS_LAMBDA(Index i) { po[i] = a * px[i] + b * py[i]; });
}

}  // namespace

void combine(double a, ShardedVolume const& x, double b, ShardedVolume const& y, ShardedVolume const& out) {
  out.placement.devices()->for_each([&](int d, ExecSpace const& exec) {
    combine_shards(exec, static_cast<Real>(a), x[d], static_cast<Real>(b), y[d], out[d]);
  });
  out.placement.devices()->fence("combine: read next");
}

AbsoluteSum::AbsoluteSum(Placement const& slices, Index num_pixels) : slices_(slices) {
  SliceBlocks const& blocks = slices.blocks();
  DeviceSet const& devices = *slices.devices();
  sums_ = per_local_device(devices,
                           [&](int d) { return SliceSums(devices.exec(d), blocks, 1, static_cast<int>(num_pixels)); });
  host_ = make_host_arrays<HostSliceTotals>(devices, "strata::absolute_sum_host", 1, blocks.per_shard * blocks.lanes);
}

double AbsoluteSum::operator()(ShardedVolume const& x) const {
  slices_.devices()->for_each([&](int d, ExecSpace const& exec) {
    absolute_sum(exec, {slices_.blocks(), d}, x[d], sums_[d]);
    Kokkos::deep_copy(exec, host_[d], sums_[d].total());
  });
  slices_.devices()->fence("absolute_sum: the host adds the slices");
  auto const totals = slice_totals(slices_.blocks(), collect(*slices_.devices(), host_), 0);
  return std::accumulate(totals.begin(), totals.end(), 0.0);
}

}  // namespace strata
