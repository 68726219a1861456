/// Sums per slice of all devices on the host.
#pragma once

#include <vector>

#include "core/base/types.hpp"
#include "core/placement/collect.hpp"
#include "core/placement/placement.hpp"

namespace strata {

/// [quantity][block * lanes + lane] of one device, as SliceSums::total().
using HostSliceTotals = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// [slice] values of `quantity`, over all devices.
inline std::vector<double> slice_totals(SliceBlocks const& blocks, Collected<HostSliceTotals> const& devices,
                                        int quantity) {
  std::vector<double> values(blocks.num_slices);
  for (int slice = 0; slice < blocks.num_slices; ++slice) {
    int const shard = slice / blocks.shard_size;
    int const block = blocks.block_of(slice) - shard * blocks.per_shard;
    values[slice] = devices[shard](quantity, block * blocks.lanes + blocks.lane_of(slice));
  }
  return values;
}

/// Sum over slices, in order, of [slice of the shard] values `shards` of each device.
inline double slice_sum(Placement const& slices, std::vector<Kokkos::View<double*, Kokkos::HostSpace>> const& shards) {
  auto const all = collect(*slices.devices(), shards);
  double sum = 0;
  for (int d = 0; d < all.num_devices(); ++d)
    for (int k = 0; k < slices.owned(d).size(); ++k) sum += all[d](k);
  return sum;
}

}  // namespace strata
