#include "core/solver/histogram.hpp"

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "core/model/sinogram_entries.hpp"
#include "core/placement/collect.hpp"
#include "core/placement/per_device.hpp"

namespace strata {
namespace {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
constexpr int voxel_chunks = 2048;
#else
constexpr int voxel_chunks = 64;
#endif

/// A shard as rows of lanes of which the first `real` count: [item][lane].
struct VolumeRows {
  ConstCylinders x;
  SliceBlocks blocks;
  int first_block;
  KOKKOS_FUNCTION Index size() const { return Index(x.extent_int(0)) * x.extent_int(1); }
  KOKKOS_FUNCTION int real(Index item) const {
    return blocks.slices(first_block + static_cast<int>(item / x.extent_int(1))).size();
  }
  KOKKOS_FUNCTION Real const* row(Index item) const { return x.data() + item * x.extent_int(2); }
};

struct SinogramRows {
  ConstSinogram y;
  SinogramEntries entries;
  KOKKOS_FUNCTION Index size() const { return entries.size(entries.num_views); }
  KOKKOS_FUNCTION int real(Index item) const { return entries.rows(item).size(); }
  KOKKOS_FUNCTION Real const* row(Index item) const { return y.data() + item * y.extent_int(3); }
};

struct Chunk {
  Index begin, end;
  KOKKOS_FUNCTION Chunk(Index chunk, Index size)
      : begin(size * chunk / voxel_chunks), end(size * (chunk + 1) / voxel_chunks) {}
};

/// limits[chunk] = smallest and largest value of the chunk's rows.
template <class Rows>
void find_limits(ExecSpace const& exec, Rows const& rows, Array2<Real> const& limits) {
  Real const highest = std::numeric_limits<Real>::max();
  Kokkos::parallel_for(
      "strata::find_limits", Kokkos::RangePolicy<ExecSpace>(exec, 0, voxel_chunks), KOKKOS_LAMBDA(int chunk) {
        Real low = highest, high = -highest;
        Chunk const part(chunk, rows.size());
        for (Index item = part.begin; item < part.end; ++item) {
          Real const* const row = rows.row(item);
          int const real = rows.real(item);
          for (int lane = 0; lane < real; ++lane) {
            low = row[lane] < low ? row[lane] : low;
            high = row[lane] > high ? row[lane] : high;
          }
        }
        limits(chunk, 0) = low;
        limits(chunk, 1) = high;
      });
}

/// counts[chunk][bin], of the chunk's rows.
template <class Rows>
void count_values(ExecSpace const& exec, Rows const& rows, double low, double high, Array2<Index> const& counts) {
  int const bins = counts.extent_int(1);
  double const scale = high > low ? bins / (high - low) : 0;
  Kokkos::parallel_for(
      "strata::count_values", Kokkos::RangePolicy<ExecSpace>(exec, 0, voxel_chunks), KOKKOS_LAMBDA(int chunk) {
        for (int bin = 0; bin < bins; ++bin) counts(chunk, bin) = 0;
        Chunk const part(chunk, rows.size());
        for (Index item = part.begin; item < part.end; ++item) {
          Real const* const row = rows.row(item);
          int const real = rows.real(item);
          for (int lane = 0; lane < real; ++lane) {
            int const bin = static_cast<int>((double(row[lane]) - low) * scale);
            ++counts(chunk, bin < bins ? bin : bins - 1);
          }
        }
      });
}

template <class T>
using HostArray = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// rows_of(device) is what the device holds.
template <class RowsOf>
Histogram count(Devices const& devices, RowsOf const& rows_of, int num_bins) {
  auto const limits = per_local_device(*devices, [&](int d) {
    return make_view<Array2<Real>>(devices->exec(d), "strata::histogram_limits", voxel_chunks, 2);
  });
  auto const counts = per_local_device(*devices, [&](int d) {
    return make_view<Array2<Index>>(devices->exec(d), "strata::histogram_counts", voxel_chunks, num_bins);
  });
  auto const host_limits = make_host_arrays<HostArray<Real>>(*devices, "strata::histogram_limits", voxel_chunks, 2);
  auto const host_counts =
      make_host_arrays<HostArray<Index>>(*devices, "strata::histogram_counts", voxel_chunks, num_bins);
  devices->for_each([&](int d, ExecSpace const& exec) {
    find_limits(exec, rows_of(d), limits[d]);
    Kokkos::deep_copy(exec, host_limits[d], limits[d]);
  });
  devices->fence("histogram: the host reads the limits");
  Histogram result{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(),
                   std::vector<Index>(static_cast<std::size_t>(num_bins))};
  for (auto const& host : collect(*devices, host_limits))
    for (int chunk = 0; chunk < voxel_chunks; ++chunk) {
      result.low = std::min(result.low, double(host(chunk, 0)));
      result.high = std::max(result.high, double(host(chunk, 1)));
    }
  require(result.low <= result.high, "histogram: expected at least one finite value, found none");
  devices->for_each([&](int d, ExecSpace const& exec) {
    count_values(exec, rows_of(d), result.low, result.high, counts[d]);
    Kokkos::deep_copy(exec, host_counts[d], counts[d]);
  });
  devices->fence("histogram: the host adds the counts");
  for (auto const& host : collect(*devices, host_counts))
    for (int chunk = 0; chunk < voxel_chunks; ++chunk)
      for (int bin = 0; bin < num_bins; ++bin) result.counts[static_cast<std::size_t>(bin)] += host(chunk, bin);
  return result;
}

}  // namespace

Histogram histogram(ShardedVolume const& volume, int num_bins) {
  SliceBlocks const blocks = volume.placement.blocks();
  auto const rows_of = [&](int d) { return VolumeRows{volume[d], blocks, blocks.blocks_of_shard(d).begin}; };
  return count(volume.placement.devices(), rows_of, num_bins);
}

Histogram histogram(ShardedSinogram const& sinogram, SinogramLayout const& layout, int num_bins) {
  auto const rows_of = [&](int d) {
    return SinogramRows{sinogram[d], SinogramEntries(layout, sinogram.placement.owned(d).size(), sinogram[d])};
  };
  return count(sinogram.placement.devices(), rows_of, num_bins);
}

}  // namespace strata
