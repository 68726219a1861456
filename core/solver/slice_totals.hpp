/// Sums per slice of all devices on the host.
#pragma once

#include <vector>

#include "core/base/types.hpp"
#include "core/placement/slice_blocks.hpp"

namespace strata {

/// [quantity][block * lanes + lane] of one device, as SliceSums::total().
using HostSliceTotals = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// [slice] values of `quantity`, over all devices; of_device(d) is what device d found.
template <class OfDevice>
std::vector<double> slice_totals_of(SliceBlocks const& blocks, OfDevice const& of_device, int quantity) {
  std::vector<double> values(blocks.num_slices);
  for (int slice = 0; slice < blocks.num_slices; ++slice) {
    int const shard = slice / blocks.shard_size;
    int const block = blocks.block_of(slice) - shard * blocks.per_shard;
    values[slice] = of_device(shard)(quantity, block * blocks.lanes + blocks.lane_of(slice));
  }
  return values;
}

inline std::vector<double> slice_totals(SliceBlocks const& blocks, std::vector<HostSliceTotals> const& devices,
                                        int quantity) {
  return slice_totals_of(
      blocks, [&](int d) -> HostSliceTotals const& { return devices[d]; }, quantity);
}

}  // namespace strata
