#include <gtest/gtest.h>

#include "core/base/nearest.hpp"
#include "core/base/text.hpp"

namespace strata {
namespace {

TEST(Nearest, DistanceCountsSingleEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("sharpnes", "sharpness"), 1);
  EXPECT_EQ(edit_distance("shrapness", "sharpness"), 1);  // a swap
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Nearest, OnlyAMisspellingIsSuggested) {
  std::vector<std::string> const known = {"sigma_x", "sigma_y", "sharpness", "p", "q"};

  EXPECT_EQ(likely_meant("sharpnes", known), "sharpness");
  EXPECT_EQ(likely_meant("sigma_yy", known), "sigma_y");
  EXPECT_EQ(likely_meant("detector", known), "");
  EXPECT_EQ(likely_meant("r", known), "");
  EXPECT_EQ(suggestion("sharpnes", known), "did you mean 'sharpness'?");
  EXPECT_EQ(suggestion("detector", {"a", "b"}), "known are a, b");
  EXPECT_EQ(suggestion("detector", {}), "");
}

TEST(Text, ListsAndShapesAreJoined) {
  EXPECT_EQ(text("a", 1, ' ', 2.5), "a1 2.5");
  EXPECT_EQ(joined(std::vector<int>{1, 2, 3}), "1, 2, 3");
  EXPECT_EQ(joined(std::vector<int>{}), "");
  EXPECT_EQ(shape_text(std::vector<int>{4, 5}), "[4][5]");
  EXPECT_EQ(shape_text(std::vector<int>{}), "[]");
}

}  // namespace
}  // namespace strata
