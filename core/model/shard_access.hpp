/// How kernels walk from a voxel to its neighbours in a shard.
#pragma once

#include "core/model/prior.hpp"

namespace strata {

/// What kernels need of a VolumeShard, small enough to be captured.
struct ShardAccess {
  explicit ShardAccess(VolumeShard const& volume)
      : num_rows(volume.shape.num_rows),
        num_cols(volume.shape.num_cols),
        blocks(volume.blocks),
        first_block(volume.blocks.blocks_of_shard(volume.shard).begin),
        values(volume.values),
        below(volume.below),
        above(volume.above) {}

  int num_rows;
  int num_cols;
  SliceBlocks blocks;
  int first_block;
  ConstCylinders values;  ///< [block of the shard][pixel][lane]
  Array1<Real const> below;
  Array1<Real const> above;

  /// Lanes of block `b` of the shard that hold slices; the others are padding.
  KOKKOS_FUNCTION int real_lanes(int b) const { return blocks.slices(first_block + b).size(); }

  /// The value before lane 0 of block `b`; the voxel itself at the first slice of the volume, 0 in an empty block.
  KOKKOS_FUNCTION Real before(int b, int pixel, int real) const {
    if (real == 0) return 0;
    if (b > 0) return values(b - 1, pixel, blocks.lanes - 1);
    return below.extent(0) > 0 ? below(pixel) : values(b, pixel, 0);
  }

  /// The value after the last real lane of block `b`; the voxel itself at the last slice of the volume, 0 in an empty
  /// block.
  KOKKOS_FUNCTION Real after(int b, int pixel, int real) const {
    if (real == 0) return 0;
    if (b + 1 < blocks.per_shard && real_lanes(b + 1) > 0) return values(b + 1, pixel, 0);
    return above.extent(0) > 0 ? above(pixel) : values(b, pixel, real - 1);
  }
};

/// The four neighbours of a pixel in the plane; at an edge the pixel itself.
struct PlaneNeighbours {
  KOKKOS_FUNCTION PlaneNeighbours(int pixel, int num_rows, int num_cols) {
    int const row = pixel / num_cols;
    int const col = pixel - row * num_cols;
    row_before = row > 0 ? pixel - num_cols : pixel;
    row_after = row + 1 < num_rows ? pixel + num_cols : pixel;
    col_before = col > 0 ? pixel - 1 : pixel;
    col_after = col + 1 < num_cols ? pixel + 1 : pixel;
  }
  int row_before, row_after, col_before, col_after;
};

}  // namespace strata
