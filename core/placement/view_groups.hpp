/// The fixed tree in which back projection sums over views, so that the result does not depend on the device count.
#pragma once

#include <vector>

#include "core/base/types.hpp"

namespace strata {

/// Cuts the views into at most `max_groups` groups of equal length (the last may be shorter). Depends on the number of
/// views alone. Device shards begin and end on group boundaries.
struct ViewGroups {
  static constexpr int max_groups = 32;
  static constexpr int max_levels = 6;  ///< levels of the tree over max_groups leaves

  int num_views = 0;
  int group_size = 1;
  int num_groups = 0;

  ViewGroups() = default;
  explicit ViewGroups(int views)
      : num_views(views),
        group_size((views + max_groups - 1) / max_groups),
        num_groups(views > 0 ? (views + group_size - 1) / group_size : 0) {}

  /// Global views of group `g`.
  KOKKOS_FUNCTION Range views(int g) const {
    int const begin = g * group_size;
    int const end = begin + group_size;
    return {begin, end < num_views ? end : num_views};
  }
};

/// A node of the binary tree over view groups: groups [index << level, (index + 1) << level), cut at num_groups.
struct TreeNode {
  int level = 0;
  int index = 0;
  friend bool operator==(TreeNode, TreeNode) = default;
};

/// Groups below `node`.
inline Range groups_of(TreeNode node, ViewGroups const& groups) {
  int const begin = node.index << node.level;
  int const end = (node.index + 1) << node.level;
  return {begin, end < groups.num_groups ? end : groups.num_groups};
}

/// The fewest tree nodes that cover `range` of groups exactly, from left to right.
std::vector<TreeNode> covering_nodes(Range range, ViewGroups const& groups);

/// The order of additions that joins the values of `nodes` (left to right, covering all groups) to the root's value.
/// Each entry adds the value at `source` to the value at `target`; the result ends up at position 0.
struct TreeAddition {
  int target;
  int source;
};
std::vector<TreeAddition> joining_order(std::vector<TreeNode> const& nodes, ViewGroups const& groups);

}  // namespace strata
