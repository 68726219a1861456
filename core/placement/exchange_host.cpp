#include "core/placement/exchange_host.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/error.hpp"
#include "core/placement/per_device.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

enum class Direction { in, out };

/// Between an entry of a shard and one of the staging buffer. (nvcc wants no capture to come first in `if constexpr`.)
template <Direction direction>
KOKKOS_FUNCTION void move_value(Real& shard, Real& staging) {
  if constexpr (direction == Direction::in)
    shard = staging;
  else
    staging = shard;
}

/// Between staging [view][row][channel] and views [first, first + count) of a shard.
template <Direction direction>
void move_views(ExecSpace const& exec, SinogramLayout const& layout, Sinogram const& shard, int first, int count,
                Array1<Real> const& staging) {
  SliceBlocks const rows = layout.rows;
  int const blocks = rows.num_blocks();
  int const channels = layout.num_channels;
  Kokkos::parallel_for(
      "strata::move_views", FlatPolicy(exec, 0, Index(count) * blocks * channels), KOKKOS_LAMBDA(Index item) {
        int const channel = static_cast<int>(item % channels);
        int const block = static_cast<int>(item / channels % blocks);
        int const view = static_cast<int>(item / channels / blocks);
        Range const slices = rows.slices(block);
        for (int lane = 0; lane < slices.size(); ++lane) {
          Index const from = (Index(view) * rows.num_slices + slices.begin + lane) * channels + channel;
          move_value<direction>(shard(first + view, block, channel, lane), staging(from));
        }
      });
}

/// Between staging [pixel][slice of the shard] and pixels [first, first + count) of a shard.
template <Direction direction>
void move_pixels(ExecSpace const& exec, SliceBlocks const& blocks, int device, Cylinders const& shard, int first,
                 int count, Range own, Array1<Real> const& staging) {
  int const per_shard = blocks.per_shard;
  Kokkos::parallel_for(
      "strata::move_pixels", FlatPolicy(exec, 0, Index(count) * per_shard), KOKKOS_LAMBDA(Index item) {
        int const block = static_cast<int>(item % per_shard);
        int const pixel = static_cast<int>(item / per_shard);
        Range const slices = blocks.slices(device * per_shard + block);
        for (int lane = 0; lane < slices.size(); ++lane) {
          Index const from = Index(pixel) * own.size() + slices.begin - own.begin + lane;
          move_value<direction>(shard(block, first + pixel, lane), staging(from));
        }
      });
}

template <class V>
V first_values(V const& view, Index count) {
  return Kokkos::subview(view, Kokkos::pair<std::size_t, std::size_t>(0, static_cast<std::size_t>(count)));
}

Range overlap(Range a, Range b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace

int part_length(int size, Index values_per_entry, int num_devices) {
  constexpr Index least = Index(1) << 16, most = Index(4) << 20;
  Index const entries = std::max<Index>(values_per_entry, 1);
  Index const share = entries < (Index(1) << 31) ? size * entries / (16 * Index(num_devices)) : most;
  Index const part = std::clamp(share, least, most);
  return static_cast<int>(std::clamp<Index>(part / std::max<Index>(values_per_entry, 1), 1, size));
}

HostExchange::HostExchange(Devices devices, Index max_values) : devices_(std::move(devices)) {
  host_ = per_local_device(*devices_, [&](int) {
    return HostArray(Kokkos::view_alloc(Kokkos::WithoutInitializing, "strata::staging_host"), max_values);
  });
  staging_ = per_local_device(
      *devices_, [&](int d) { return make_view<Array1<Real>>(devices_->exec(d), "strata::staging", max_values); });
}

void HostExchange::put_views(ShardedSinogram const& sinogram, SinogramLayout const& layout, Range views,
                             std::span<float const> values) const {
  Index const per_view = Index(layout.rows.num_slices) * layout.num_channels;
  devices_->for_each([&](int d, ExecSpace const& exec) {
    Range const own = sinogram.placement.owned(d);
    Range const part = overlap(own, views);
    if (part.empty()) return;
    Index const count = part.size() * per_view;
    std::memcpy(host_[d].data(), values.data() + (part.begin - views.begin) * per_view, count * sizeof(float));
    Kokkos::deep_copy(exec, first_values(staging_[d], count), first_values(host_[d], count));
    move_views<Direction::in>(exec, layout, sinogram[d], part.begin - own.begin, part.size(), staging_[d]);
  });
  devices_->fence("put_views: staging is reused");
}

void HostExchange::get_views(ShardedSinogram const& sinogram, SinogramLayout const& layout, Range views,
                             std::span<float> values) const {
  Index const per_view = Index(layout.rows.num_slices) * layout.num_channels;
  devices_->for_each([&](int d, ExecSpace const& exec) {
    Range const own = sinogram.placement.owned(d);
    Range const part = overlap(own, views);
    if (part.empty()) return;
    Index const count = part.size() * per_view;
    move_views<Direction::out>(exec, layout, sinogram[d], part.begin - own.begin, part.size(), staging_[d]);
    Kokkos::deep_copy(exec, first_values(host_[d], count), first_values(staging_[d], count));
    exec.fence("strata::get_views: the host reads staging");
    std::memcpy(values.data() + (part.begin - views.begin) * per_view, host_[d].data(), count * sizeof(float));
  });
}

void HostExchange::put_pixels(ShardedVolume const& volume, Range pixels, std::span<float const> values) const {
  SliceBlocks const& blocks = volume.placement.blocks();
  devices_->for_each([&](int d, ExecSpace const& exec) {
    Range const own = volume.placement.owned(d);
    if (own.empty()) return;
    Index const count = Index(pixels.size()) * own.size();
    for (Index p = 0; p < pixels.size(); ++p)
      std::memcpy(host_[d].data() + p * own.size(), values.data() + p * blocks.num_slices + own.begin,
                  own.size() * sizeof(float));
    Kokkos::deep_copy(exec, first_values(staging_[d], count), first_values(host_[d], count));
    move_pixels<Direction::in>(exec, blocks, d, volume[d], pixels.begin, pixels.size(), own, staging_[d]);
  });
  devices_->fence("put_pixels: staging is reused");
}

void HostExchange::get_pixels(ShardedVolume const& volume, Range pixels, std::span<float> values) const {
  SliceBlocks const& blocks = volume.placement.blocks();
  devices_->for_each([&](int d, ExecSpace const& exec) {
    Range const own = volume.placement.owned(d);
    if (own.empty()) return;
    Index const count = Index(pixels.size()) * own.size();
    move_pixels<Direction::out>(exec, blocks, d, volume[d], pixels.begin, pixels.size(), own, staging_[d]);
    Kokkos::deep_copy(exec, first_values(host_[d], count), first_values(staging_[d], count));
    exec.fence("strata::get_pixels: the host reads staging");
    for (Index p = 0; p < pixels.size(); ++p)
      std::memcpy(values.data() + p * blocks.num_slices + own.begin, host_[d].data() + p * own.size(),
                  own.size() * sizeof(float));
  });
}

}  // namespace strata
