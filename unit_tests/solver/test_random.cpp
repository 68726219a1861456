#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/solver/random.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

TEST(LegacyRandom, RepeatsTheReferencePermutations) {
  for (std::string const& set : golden::names("partitions.h5", "/")) {
    if (set.rfind("set_", 0) != 0) continue;
    auto const seed = static_cast<std::uint32_t>(golden::attribute("partitions.h5", set, "seed").at(0));
    LegacyRandom random(seed);

    std::vector<int> const order = random.permutation(13);

    auto const expected = golden::read("partitions.h5", set + "/permutation_of_13").values;
    EXPECT_EQ(std::vector<double>(order.begin(), order.end()), expected) << set;
  }
}

TEST(LegacyRandom, BoundedDrawsCoverTheRangeAndNothingElse) {
  LegacyRandom random(3);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random.bounded(4));
  EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(LegacyRandom, DrawBoundedByZeroConsumesNothing) {
  LegacyRandom random(3);
  std::string const before = random.state();
  EXPECT_EQ(random.bounded(0), 0u);
  EXPECT_EQ(random.permutation(1), std::vector<int>{0});
  EXPECT_EQ(random.state(), before);
}

TEST(LegacyRandom, ChoiceOfNoneConsumesAWholePermutation) {
  LegacyRandom chooser(5), permuter(5), skipper(5);
  EXPECT_TRUE(chooser.choice(std::vector<int>(17, 1), 0).empty());
  permuter.permutation(17);
  skipper.skip_permutation(17);
  EXPECT_EQ(chooser.state(), permuter.state());
  EXPECT_EQ(skipper.state(), permuter.state());
}

TEST(LegacyRandom, ChoiceTakesDifferentPositions) {
  std::vector<int> values(50);
  std::iota(values.begin(), values.end(), 100);
  std::vector<int> chosen = LegacyRandom(1).choice(values, 50);
  std::ranges::sort(chosen);
  EXPECT_EQ(chosen, values);
  EXPECT_THROW(LegacyRandom(1).choice(values, 51), Error);
}

TEST(LegacyRandom, StoredStateContinuesTheStream) {
  LegacyRandom random(9);
  random.permutation(1000);
  std::string const state = random.state();
  std::vector<int> const next = random.permutation(100);

  LegacyRandom resumed(0);
  resumed.set_state(state);

  EXPECT_EQ(resumed.permutation(100), next);
  EXPECT_THROW(resumed.set_state("1 2 three"), InputError);
}

}  // namespace
}  // namespace strata
