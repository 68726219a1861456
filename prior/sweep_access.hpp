/// How kernels walk over a shard and directions beside it: plain pointers, because the Views of four volumes make a
/// kernel too large to be launched quickly.
#pragma once

#include "core/model/prior.hpp"

namespace strata {

struct SweepVolume;

/// One volume of a sweep: [block of the shard][pixel][lane].
struct SweepArray {
  Real const* values = nullptr;
  Real const* below = nullptr;  ///< [pixel] slice before the shard's first; null: reflection
  Real const* above = nullptr;  ///< [pixel] slice after the shard's last real one; null: reflection

  SweepArray() = default;
  explicit SweepArray(VolumeShard const& volume)
      : values(volume.values.data()), below(volume.below.data()), above(volume.above.data()) {}

  KOKKOS_INLINE_FUNCTION Real const* cylinder(SweepVolume const& shape, int block, int pixel) const;
  KOKKOS_INLINE_FUNCTION Real at(SweepVolume const& shape, int block, int pixel, int lane) const;
  /// The value after the last real lane of `block`; the last one itself at the end of the volume.
  KOKKOS_INLINE_FUNCTION Real after(SweepVolume const& shape, int block, int pixel, int real) const;
};

/// The volume itself with what the arrays have in common.
struct SweepVolume {
  explicit SweepVolume(VolumeShard const& volume)
      : num_rows(volume.shape.num_rows),
        num_cols(volume.shape.num_cols),
        blocks(volume.blocks),
        first_block(volume.blocks.blocks_of_shard(volume.shard).begin),
        x(volume) {}

  int num_rows, num_cols;
  SliceBlocks blocks;
  int first_block;
  SweepArray x;

  KOKKOS_FUNCTION int real_lanes(int block) const { return blocks.slices(first_block + block).size(); }
  /// Pixels of a part of the plane; depends on the plane alone.
  KOKKOS_FUNCTION Range part(int p) const {
    int const pixels = num_rows * num_cols;
    int const length = (pixels + Prior::surrogate_parts - 1) / Prior::surrogate_parts;
    int const begin = p * length < pixels ? p * length : pixels;
    return {begin, begin + length < pixels ? begin + length : pixels};
  }
};

struct SweepDirections {
  explicit SweepDirections(DirectionShards const& directions) : count(directions.count) {
    for (int i = 0; i < count; ++i) d[i] = SweepArray(directions.shards[i]);
  }
  int count;
  SweepArray d[DirectionShards::most];
};

KOKKOS_INLINE_FUNCTION Real const* SweepArray::cylinder(SweepVolume const& shape, int block, int pixel) const {
  return values + (Index(block) * shape.num_rows * shape.num_cols + pixel) * shape.blocks.lanes;
}

KOKKOS_INLINE_FUNCTION Real SweepArray::at(SweepVolume const& shape, int block, int pixel, int lane) const {
  return cylinder(shape, block, pixel)[lane];
}

KOKKOS_INLINE_FUNCTION Real SweepArray::after(SweepVolume const& shape, int block, int pixel, int real) const {
  if (block + 1 < shape.blocks.per_shard && shape.real_lanes(block + 1) > 0) return at(shape, block + 1, pixel, 0);
  return above ? above[pixel] : at(shape, block, pixel, real - 1);
}

}  // namespace strata
