/// What a projector whose rows are slices hands to its kernels.
#pragma once

#include <utility>

#include "core/model/projector.hpp"

namespace strata {

/// Constant over a projector's life.
struct ProjectorShape {
  Range views;         ///< of this device, global
  ViewGroups groups;   ///< of all views
  SliceBlocks blocks;  ///< of the slices, which are the detector rows
  int num_channels = 0;
};

/// out = sum over the views of `node` at `pixels`.
struct BackTarget {
  TreeNode node;
  Range blocks;
  PixelList pixels;
  Position position = Position::by_pixel;
  Cylinders out;
  bool squared = false;  ///< squares of the weights
};

/// The device's groups below `node`.
inline LocalGroups local_groups(TreeNode node, ProjectorShape const& shape) {
  return {shape.groups, groups_of(node, shape.groups), shape.views.begin};
}

/// Blocks of node `n` in an array [node * num_blocks + block][entry][lane].
inline Cylinders blocks_of_node(Cylinders const& out, std::size_t n, int num_blocks) {
  std::pair<std::size_t, std::size_t> const range(n * num_blocks, (n + 1) * num_blocks);
  return Kokkos::subview(out, range, Kokkos::ALL, Kokkos::ALL);
}

}  // namespace strata
