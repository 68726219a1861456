#include "core/placement/transfer.hpp"

#include "core/placement/cylinder_moves.hpp"

namespace strata {

void all_gather(DeviceSet const& devices, SliceBlocks const& blocks, std::vector<Cylinders> const& shards,
                std::vector<Cylinders> const& targets, Stream stream) {
  devices.fence("all_gather: shards are read by other devices", stream);
  devices.for_each(
      [&](int d, ExecSpace const& exec) {
        for (int owner = 0; owner < devices.size(); ++owner)
          Kokkos::deep_copy(exec, block_range(targets[d], blocks.blocks_of_shard(owner)), shards[owner]);
      },
      stream);
  devices.fence("all_gather: owners may change their shards", stream);
}

void gather_places(DeviceSet const& devices, SliceBlocks const& blocks, CylinderPlaces const& from,
                   std::vector<Cylinders> const& own, std::vector<Cylinders> const& targets, Stream stream) {
  if (!devices.share_memory()) {
    auto const pack = [&](int d, ExecSpace const& exec) {
      gather_cylinders(exec, from.shards[d], from.positions_on(d), own[d]);
    };
    devices.for_each(pack, stream);
    return all_gather(devices, blocks, own, targets, stream);
  }
  devices.fence("gather_places: shards are read by other devices", stream);
  devices.for_each(
      [&](int d, ExecSpace const& exec) {
        for (int owner = 0; owner < devices.size(); ++owner)
          gather_cylinders(exec, from.shards[owner], from.positions_on(d),
                           block_range(targets[d], blocks.blocks_of_shard(owner)));
      },
      stream);
  devices.fence("gather_places: owners may change their shards", stream);
}

void broadcast_band(DeviceSet const& devices, ShardBand const& band, CylinderPlaces const& from,
                    std::vector<Cylinders> const& own, std::vector<Cylinders> const& targets, Stream stream) {
  auto const pack = [&](int d, ExecSpace const& exec) {
    if (d == band.owner) gather_cylinders(exec, block_range(from.shards[d], band.blocks), from.positions_on(d), own[d]);
  };
  devices.for_each(pack, stream);
  devices.fence("broadcast_band: the band is read by other devices", stream);
  devices.for_each([&](int d, ExecSpace const& exec) { Kokkos::deep_copy(exec, targets[d], own[band.owner]); }, stream);
  devices.fence("broadcast_band: the owner packs the next band", stream);
}

}  // namespace strata
