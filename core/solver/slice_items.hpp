/// How kernels of subset updates cut their work, and where they leave sums per slice.
#pragma once

#include "core/base/lanes.hpp"
#include "core/solver/subset_kernels.hpp"

namespace strata {

using ItemPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

/// Entries between the one that is worked on and the one that is fetched.
inline constexpr int fetch_distance = 8;

/// One work item: a group of lanes of one block and one chunk of entries.
struct SliceItem {
  int chunk, block, lane, begin, end, real;
  KOKKOS_FUNCTION SliceItem(Index item, ShardBlocks const& shard, int entries) {
    int const groups = shard.blocks.lanes / lane_group;
    lane = static_cast<int>(item % groups) * lane_group;
    block = static_cast<int>(item / groups % shard.blocks.per_shard);
    chunk = static_cast<int>(item / groups / shard.blocks.per_shard);
    begin = chunk * SliceSums::chunk;
    end = begin + SliceSums::chunk < entries ? begin + SliceSums::chunk : entries;
    real = shard.real_lanes(block) - lane;
  }
  /// The entry to ask for while `entry` is worked on.
  KOKKOS_FUNCTION int ahead(int entry) const { return entry + fetch_distance < end ? entry + fetch_distance : entry; }
};

inline Index num_items(ShardBlocks const& shard, int entries) {
  return Index(num_chunks(entries)) * shard.blocks.per_shard * (shard.blocks.lanes / lane_group);
}

KOKKOS_INLINE_FUNCTION void store(LaneSums const& sums, Array3<double> const& partial, int quantity,
                                  SliceItem const& item, int lanes) {
  for (int l = 0; l < lane_group; ++l)
    partial(item.chunk, quantity, item.block * lanes + item.lane + l) = sums.values[l];
}

}  // namespace strata
