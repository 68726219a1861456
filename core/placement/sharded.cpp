#include "core/placement/sharded.hpp"

#include "core/placement/per_device.hpp"

namespace strata {
namespace {

template <class S>
void copy_shards(S const& from, S const& to) {
  from.placement.devices()->for_each(
      [&](int d, ExecSpace const& exec) { Kokkos::deep_copy(exec, to.shards[d], from.shards[d]); });
  from.placement.devices()->fence("copy: shards are read next");
}

std::vector<ExecSpace> instances_of(DeviceSet const& devices) {
  std::vector<ExecSpace> instances;
  for (int const d : devices.local()) instances.push_back(devices.exec(d));
  return instances;
}

/// Shares the data, and keeps them alive.
Cylinders blocks_in(Cylinders const& whole, Range blocks) {
  return Kokkos::subview(whole, Kokkos::pair<int, int>(blocks.begin, blocks.end), Kokkos::ALL, Kokkos::ALL);
}

}  // namespace

int stored_channels(int num_channels, int lanes) {
  constexpr Index page = 4096;
  Index const pitch = Index(num_channels) * lanes * static_cast<Index>(sizeof(Real));
  return pitch % page == 0 ? num_channels + 1 : num_channels;
}

bool volumes_are_whole(DeviceSet const& devices) {
  return devices.share_memory() || devices.size() == 1;
}

ShardedVolume make_volume(Placement const& slices, Index num_pixels, std::string const& label) {
  SliceBlocks const& blocks = slices.blocks();
  DeviceSet const& devices = *slices.devices();
  ShardedVolume volume{slices, {}, {}};
  if (volumes_are_whole(devices)) {
    volume.whole = make_common_view<Cylinders>(instances_of(devices), "strata::" + label, blocks.num_blocks(),
                                               num_pixels, blocks.lanes);
    volume.shards =
        per_local_device(devices, [&](int d) { return blocks_in(volume.whole, blocks.blocks_of_shard(d)); });
  } else {
    volume.shards = per_local_device(devices, [&](int d) {
      return make_view<Cylinders>(devices.exec(d), "strata::" + label, blocks.per_shard, num_pixels, blocks.lanes);
    });
  }
  // Each device writes first to what it owns, so that its pages are near its threads.
  devices.for_each([&](int d, ExecSpace const& exec) { Kokkos::deep_copy(exec, volume[d], Real(0)); });
  devices.fence("make_volume: zeros are used next");
  return volume;
}

ShardedSinogram make_sinogram(Placement const& views, SliceBlocks const& rows, int num_channels,
                              std::string const& label) {
  ShardedSinogram sinogram{views, per_local_device(*views.devices(), [&](int d) {
                             return make_zero_view<Sinogram>(views.devices()->exec(d), "strata::" + label,
                                                             views.shard_size(), rows.num_blocks(),
                                                             stored_channels(num_channels, rows.lanes), rows.lanes);
                           })};
  views.devices()->fence("make_sinogram: zeros are used next");
  return sinogram;
}

void copy(ShardedVolume const& from, ShardedVolume const& to) {
  copy_shards(from, to);
}
void copy(ShardedSinogram const& from, ShardedSinogram const& to) {
  copy_shards(from, to);
}

}  // namespace strata
