/// The fixed tree in which back projection sums over views, so that the result does not depend on the device count.
#pragma once

#include <vector>

#include "core/base/types.hpp"

namespace strata {

/// Cuts the views into min(max_groups, views) groups whose lengths differ by one at most. Depends on the number of
/// views alone. Device shards begin and end on group boundaries; with 32 groups 2, 4, 8, ... devices own whole
/// subtrees.
struct ViewGroups {
  static constexpr int max_groups = 32;
  static constexpr int max_levels = 6;  ///< levels of the tree over max_groups leaves

  int num_views = 0;
  int num_groups = 0;

  ViewGroups() = default;
  explicit ViewGroups(int all_views)
      : num_views(all_views), num_groups(all_views < max_groups ? all_views : max_groups) {}

  /// First global view of group `g`; the number of views for g = num_groups.
  KOKKOS_FUNCTION int begin(int g) const {
    return num_groups > 0 ? static_cast<int>(Index(g) * num_views / num_groups) : 0;
  }
  /// Global views of group `g`.
  KOKKOS_FUNCTION Range views(int g) const { return {begin(g), begin(g + 1)}; }
  /// Views in the longest run of `count` groups that begins at a multiple of `count`.
  int longest_run(int count) const {
    return num_groups > 0 ? static_cast<int>((Index(count) * num_views + num_groups - 1) / num_groups) : 0;
  }
};

/// The groups that begin and end with `views`. \throws Error when these do not lie on group boundaries.
Range groups_in(Range views, ViewGroups const& groups);

/// Consecutive groups as one device sees them: they and the device's views are numbered from 0.
struct LocalGroups {
  ViewGroups all;
  Range range;         ///< of groups, global
  int first_view = 0;  ///< of the device, global

  KOKKOS_FUNCTION int size() const { return range.size(); }
  /// First view of group `i`, or the end of the last one for i = size().
  KOKKOS_FUNCTION int begin(int i) const { return all.begin(range.begin + i) - first_view; }
  KOKKOS_FUNCTION Range views(int i) const { return {begin(i), begin(i + 1)}; }
  /// Group `i` alone.
  KOKKOS_FUNCTION LocalGroups only(int i) const { return {all, {range.begin + i, range.begin + i + 1}, first_view}; }
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
