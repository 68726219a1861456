#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "unit_tests/solver/accelerated_case.hpp"

namespace strata::test {
namespace {

constexpr char const* scans[] = {"parallel_basic",   "parallel_limited_angle", "parallel_odd_nonsquare",
                                 "cone_basic",       "cone_curved_pad",        "cone_helical",
                                 "cone_large_angle", "multiaxis_varied",       "translation_offsets"};

VCDOptions accelerated(int directions = 1, bool positivity = false) {
  VCDOptions options;
  options.acceleration = Acceleration::subspace;
  options.acceleration_directions = directions;
  options.positivity_flag = positivity;
  return options;
}

double difference(std::vector<float> const& a, std::vector<float> const& b) {
  return nrmse(a, b);
}

class Accelerated : public testing::TestWithParam<char const*> {};

TEST_P(Accelerated, NeverRaisesTheObjective) {
  for (int const directions : {1, 2})
    for (bool const positivity : {false, true}) {
      SCOPED_TRACE(testing::Message() << directions << " directions, positivity " << positivity);
      auto const result = run({.scan = GetParam(), .options = accelerated(directions, positivity), .passes = 14});
      for (std::size_t k = 1; k < result.history.size(); ++k)
        EXPECT_LE(result.history[k].objective, result.history[k - 1].objective * (1 + 1e-6)) << k;
      EXPECT_LE(result.last_objective, result.history.back().objective * (1 + 1e-6));
      EXPECT_LE(difference(result.error, result.fresh_error), 2e-4);
      if (positivity) {
        EXPECT_GE(*std::min_element(result.recon.begin(), result.recon.end()), 0);
      }
      EXPECT_EQ(result.history.front().subspace_directions, 1);
      EXPECT_EQ(result.history[1].subspace_directions, 2);
    }
}

TEST_P(Accelerated, EndsBelowPlainPasses) {
  for (bool const positivity : {false, true}) {
    VCDOptions plain;
    plain.positivity_flag = positivity;
    auto const without = run({.scan = GetParam(), .options = plain, .passes = 12});
    auto const with = run({.scan = GetParam(), .options = accelerated(1, positivity), .passes = 12});

    EXPECT_LE(with.history.back().objective, without.history.back().objective) << "positivity " << positivity;
  }
}

TEST_P(Accelerated, GivesTheSameBitsOnAnyNumberOfDevicesAndWithAnyPadding) {
  AcceleratedRun setting{.scan = GetParam(), .options = accelerated(2, true), .passes = 5};
  auto const one = run(setting);
  for (int const devices : {2, 3, 7})
    for (float const padding : {0.f, std::numeric_limits<float>::quiet_NaN()}) {
      setting.num_devices = devices;
      setting.padding = padding;
      auto const several = run(setting);
      EXPECT_EQ(several.recon, one.recon) << devices << " devices, padding " << padding;
      EXPECT_EQ(several.history.back().objective, one.history.back().objective) << devices << ", " << padding;
    }
}

INSTANTIATE_TEST_SUITE_P(AllGeometries, Accelerated, testing::ValuesIn(scans),
                         [](auto const& test) { return std::string(test.param); });

struct LongRun {
  char const* scan;
  int directions;
  bool keep_sinogram;
};

class AcceleratedForLong : public testing::TestWithParam<LongRun> {};

TEST_P(AcceleratedForLong, NeverRisesAndKeepsErrorAndImageTogether) {
  auto const result = run({.scan = GetParam().scan,
                           .options = accelerated(GetParam().directions),
                           .passes = 200,
                           .granularity = {4, 8},
                           .sequence = {0, 1},
                           .keep_sinogram = GetParam().keep_sinogram});
  double lowest = result.history.front().objective;
  for (auto const& stats : result.history) {
    EXPECT_LE(stats.objective, lowest * (1 + 1e-6)) << stats.iteration;
    lowest = std::min(lowest, stats.objective);
  }
  EXPECT_LE(difference(result.error, result.fresh_error), 1e-3);
  EXPECT_NEAR(result.last_objective, lowest, 1e-6 * lowest);
}

INSTANTIATE_TEST_SUITE_P(Float32, AcceleratedForLong,
                         testing::Values(LongRun{"parallel_basic", 1, false}, LongRun{"parallel_basic", 2, true},
                                         LongRun{"cone_basic", 2, false}, LongRun{"cone_basic", 1, true}),
                         [](auto const& test) {
                           return std::string(test.param.scan) + "_" + std::to_string(test.param.directions) +
                                  (test.param.keep_sinogram ? "_refreshed" : "");
                         });

TEST(AcceleratedMinimum, IsThatOfPlainPassesWithPositivityWeightsAndCone) {
  VCDOptions plain_options;
  plain_options.positivity_flag = true;
  auto const plain =
      run({.scan = "cone_basic", .options = plain_options, .passes = 400, .granularity = {4, 16}, .sequence = {0, 1}});
  auto const fast = run({.scan = "cone_basic",
                         .options = accelerated(1, true),
                         .passes = 80,
                         .granularity = {4, 16},
                         .sequence = {0, 1}});

  EXPECT_LE(difference(fast.recon, plain.recon), 1e-4);
}

TEST(FinerPasses, HaveTwiceAsManySubsetsAndTakeEachPixelOnce) {
  std::vector<int> pixels;
  for (int p = 0; p < 5000; ++p) pixels.push_back(7 * p % 5000);
  std::vector<VCDPass> const passes{{0, {1, 0}}, {1, std::vector<int>(64)}, {2, std::vector<int>(64)}};

  FinerPasses const finer = make_finer_passes(passes, 1, 3, pixels);

  ASSERT_EQ(finer.partitions.size(), 4u);
  for (auto const& partition : finer.partitions) {
    std::vector<int> seen;
    for (auto const& subset : partition.subsets) seen.insert(seen.end(), subset.begin(), subset.end());
    EXPECT_EQ(partition.num_subsets(), 128);
    std::sort(seen.begin(), seen.end());
    for (int p = 0; p < 5000; ++p) EXPECT_EQ(seen.at(p), p);
  }
  ASSERT_GE(finer.passes.size(), 2u);
  for (std::size_t i = 0; i < finer.passes.size(); ++i) {
    EXPECT_EQ(finer.passes[i].partition, 3 + static_cast<int>(i % 4));
    EXPECT_EQ(finer.passes[i].order.size(), 128u);
  }
}

TEST(FinerPasses, AreNotMadeOfSubsetsThatAreTooSmall) {
  std::vector<VCDPass> const passes{{0, std::vector<int>(64)}};

  EXPECT_TRUE(make_finer_passes(passes, 0, 1, std::vector<int>(4000)).passes.empty());
}

}  // namespace
}  // namespace strata::test
