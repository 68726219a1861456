#include "core/placement/view_groups.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace strata {
namespace {

TreeNode root_of(ViewGroups const& groups) {
  int level = 0;
  while ((1 << level) < groups.num_groups) ++level;
  return {level, 0};
}

void cover(TreeNode node, Range range, ViewGroups const& groups, std::vector<TreeNode>& nodes) {
  Range const own = groups_of(node, groups);
  if (own.empty() || own.end <= range.begin || own.begin >= range.end) return;
  if (own.begin >= range.begin && own.end <= range.end) {
    nodes.push_back(node);
    return;
  }
  cover({node.level - 1, 2 * node.index}, range, groups, nodes);
  cover({node.level - 1, 2 * node.index + 1}, range, groups, nodes);
}

/// Appends the additions that make the value of `node`; returns where it ends up.
int join(TreeNode node, std::vector<TreeNode> const& nodes, ViewGroups const& groups,
         std::vector<TreeAddition>& order) {
  auto const found = std::find(nodes.begin(), nodes.end(), node);
  if (found != nodes.end()) return static_cast<int>(found - nodes.begin());
  ensure(node.level > 0, "joining_order: the nodes do not cover view group ", node.index);
  int const left = join({node.level - 1, 2 * node.index}, nodes, groups, order);
  TreeNode const right{node.level - 1, 2 * node.index + 1};
  if (!groups_of(right, groups).empty()) order.push_back({left, join(right, nodes, groups, order)});
  return left;
}

}  // namespace

Range groups_in(Range views, ViewGroups const& groups) {
  auto const at = [&](int view) {
    int g = 0;
    while (g < groups.num_groups && groups.begin(g) < view) ++g;
    return g;
  };
  Range const range{at(views.begin), at(views.end)};
  ensure(groups.begin(range.begin) == views.begin && groups.begin(range.end) == views.end && views.begin <= views.end,
         "views ", views.begin, " to ", views.end, " of ", groups.num_views, " do not lie on view groups");
  return range;
}

std::vector<TreeNode> covering_nodes(Range range, ViewGroups const& groups) {
  std::vector<TreeNode> nodes;
  if (!range.empty()) cover(root_of(groups), range, groups, nodes);
  return nodes;
}

std::vector<TreeAddition> joining_order(std::vector<TreeNode> const& nodes, ViewGroups const& groups) {
  std::vector<TreeAddition> order;
  ensure(!nodes.empty(), "joining_order: no nodes");
  join(root_of(groups), nodes, groups, order);
  return order;
}

}  // namespace strata
