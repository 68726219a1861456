#include "core/placement/view_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace strata {
namespace {

std::vector<int> const view_counts = {1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 65, 97, 180, 181, 1000, 1023, 5001};

TEST(ViewGroups, CutTheViewsWithoutGapsIntoGroupsThatDifferByOneViewAtMost) {
  for (int const views : view_counts) {
    SCOPED_TRACE(views);
    ViewGroups const groups(views);
    EXPECT_EQ(groups.num_groups, std::min(views, ViewGroups::max_groups));
    int next = 0;
    for (int g = 0; g < groups.num_groups; ++g) {
      Range const part = groups.views(g);
      EXPECT_EQ(part.begin, next);
      EXPECT_TRUE(part.size() == views / groups.num_groups || part.size() == views / groups.num_groups + 1);
      EXPECT_EQ(groups_in(part, groups), (Range{g, g + 1}));
      next = part.end;
    }
    EXPECT_EQ(next, views);
  }
}

TEST(ViewGroups, BoundTheLongestRunOfNeighboursFromAboveAndByLessThanAView) {
  for (int const views : view_counts)
    for (int const count : {1, 2, 4}) {
      ViewGroups const groups(views);
      for (int g = 0; g + count <= groups.num_groups; g += count)
        EXPECT_LE(groups.begin(g + count) - groups.begin(g), groups.longest_run(count)) << views;
      EXPECT_LT((groups.longest_run(count) - 1) * groups.num_groups, count * views) << views;
    }
}

TEST(ViewGroups, RefuseViewsThatDoNotBeginOrEndWithAGroup) {
  ViewGroups const groups(100);  // three or four views each

  EXPECT_EQ(groups_in({0, 100}, groups), (Range{0, 32}));
  EXPECT_EQ(groups_in({50, 100}, groups), (Range{16, 32}));
  EXPECT_EQ(groups_in({100, 100}, groups), (Range{32, 32}));
  EXPECT_THROW(groups_in({0, 1}, groups), Error);
  EXPECT_THROW(groups_in({1, 100}, groups), Error);
  EXPECT_THROW(groups_in({50, 0}, groups), Error);
}

TEST(CoveringNodes, AreOneForEachOfTwoFourAndEightDevicesAndAHandfulForOthers) {
  for (int const views : {32, 33, 100, 180, 1001, 5001}) {
    ViewGroups const groups(views);
    for (int const devices : {1, 2, 3, 4, 5, 7, 8, 16, 32})
      for (int d = 0; d < devices; ++d) {
        auto const nodes = covering_nodes({32 * d / devices, 32 * (d + 1) / devices}, groups);
        EXPECT_LE(nodes.size(), 32 % devices == 0 ? 1u : 5u) << views << " views, device " << d << " of " << devices;
      }
  }
}

TEST(CoveringNodes, CoverEveryRangeOfGroupsExactlyFromLeftToRight) {
  for (int const views : view_counts) {
    ViewGroups const groups(views);
    for (int begin = 0; begin <= groups.num_groups; ++begin)
      for (int end = begin; end <= groups.num_groups; ++end) {
        int next = begin;
        for (TreeNode const node : covering_nodes({begin, end}, groups)) {
          EXPECT_EQ(groups_of(node, groups).begin, next);
          EXPECT_FALSE(groups_of(node, groups).empty());
          next = groups_of(node, groups).end;
        }
        EXPECT_EQ(next, end) << views << " views, groups " << begin << " to " << end;
      }
  }
}

TEST(CoveringNodes, TheRootAloneCoversAllGroups) {
  for (int const views : view_counts) {
    ViewGroups const groups(views);
    EXPECT_EQ(covering_nodes({0, groups.num_groups}, groups).size(), 1u) << views;
  }
}

/// The expression that the additions build: "(a+b)" of leaf groups.
std::string expression(std::vector<TreeNode> const& nodes, ViewGroups const& groups) {
  auto const leaf_sum = [&](TreeNode node, auto const& self) -> std::string {
    if (groups_of(node, groups).empty()) return "";
    if (node.level == 0) return std::to_string(node.index);
    std::string const left = self({node.level - 1, 2 * node.index}, self);
    std::string const right = self({node.level - 1, 2 * node.index + 1}, self);
    return right.empty() ? left : "(" + left + "+" + right + ")";
  };
  std::vector<std::string> terms;
  for (TreeNode const node : nodes) terms.push_back(leaf_sum(node, leaf_sum));
  for (TreeAddition const addition : joining_order(nodes, groups))
    terms[addition.target] = "(" + terms[addition.target] + "+" + terms[addition.source] + ")";
  return terms[0];
}

TEST(JoiningOrder, AddsInTheSameOrderHoweverTheGroupsAreShared) {
  for (int const views : view_counts) {
    ViewGroups const groups(views);
    auto const whole = expression(covering_nodes({0, groups.num_groups}, groups), groups);
    for (int const devices : {2, 3, 4, 5, 7, 13, 40}) {
      std::vector<TreeNode> nodes;
      for (int d = 0; d < devices; ++d) {
        auto const own =
            covering_nodes({groups.num_groups * d / devices, groups.num_groups * (d + 1) / devices}, groups);
        nodes.insert(nodes.end(), own.begin(), own.end());
      }
      EXPECT_EQ(expression(nodes, groups), whole) << views << " views, " << devices << " devices";
    }
  }
}

TEST(JoiningOrder, RefusesNodesThatDoNotCoverAllGroups) {
  ViewGroups const groups(5);

  EXPECT_THROW(joining_order({}, groups), Error);
  EXPECT_THROW(joining_order(covering_nodes({0, 3}, groups), groups), Error);
}

}  // namespace
}  // namespace strata
