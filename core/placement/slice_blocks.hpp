/// How a slice-like axis is stored: in blocks of consecutive slices, the slices of a block being the lanes of a vector.
#pragma once

#include "core/base/types.hpp"

namespace strata {

/// Blocks of one slice-like axis (slices of the volume, rows of the detector). Shard `d` of `num_shards` owns slices
/// [d * shard_size, (d + 1) * shard_size), cut at num_slices; it holds `per_shard` blocks of `lanes` lanes each, so a
/// block never crosses a shard. Blocks are numbered over all shards. Lanes without a slice are padding.
struct SliceBlocks {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  static constexpr int lane_step = 32;
#else
  static constexpr int lane_step = 16;
#endif
  static constexpr int max_lanes = 64;

  int num_slices = 0;
  int num_shards = 1;
  int shard_size = 0;
  int per_shard = 0;
  int lanes = 0;

  SliceBlocks() = default;
  /// Splits `slices` over `shards` and picks the block length: at most max_lanes, a multiple of lane_step.
  SliceBlocks(int slices, int shards);
  /// One block that holds all `slices`; geometries that couple slices keep detector rows so.
  static SliceBlocks single(int slices);

  KOKKOS_FUNCTION int num_blocks() const {
    return num_shards * per_shard;
  }
  KOKKOS_FUNCTION Range blocks_of_shard(int shard) const {
    return {shard * per_shard, (shard + 1) * per_shard};
  }
  /// Real slices of global block `block`; lane l holds slice begin + l. May be empty.
  KOKKOS_FUNCTION Range slices(int block) const {
    int const shard = block / per_shard;
    int const begin = shard * shard_size + (block - shard * per_shard) * lanes;
    int end = begin + lanes;
    int const shard_end = (shard + 1) * shard_size;
    if (end > shard_end) end = shard_end;
    if (end > num_slices) end = num_slices;
    return {begin, end > begin ? end : begin};
  }
  KOKKOS_FUNCTION int block_of(int slice) const {
    int const shard = slice / shard_size;
    return shard * per_shard + (slice - shard * shard_size) / lanes;
  }
  KOKKOS_FUNCTION int lane_of(int slice) const {
    return (slice % shard_size) % lanes;
  }
};

}  // namespace strata
