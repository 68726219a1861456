#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/solver/pixel_partition.hpp"
#include "core/solver/region_mask.hpp"
#include "core/solver/schedule.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

std::vector<int> integers(std::vector<double> const& values) {
  return {values.begin(), values.end()};
}

std::vector<std::vector<int>> read_partition(std::string const& file, std::string const& dataset) {
  golden::Array const array = golden::read(file, dataset);
  std::vector<int> const values = integers(array.values);
  std::vector<std::vector<int>> rows;
  for (Index s = 0; s < array.shape[0]; ++s)
    rows.emplace_back(values.begin() + s * array.shape[1], values.begin() + (s + 1) * array.shape[1]);
  return rows;
}

std::string two_digits(std::size_t n) {
  return text(n < 10 ? "0" : "", n);
}

void expect_partitions(std::string const& file, std::string const& group,
                       std::vector<PixelPartition> const& partitions) {
  for (std::size_t g = 0; g < partitions.size(); ++g) {
    std::string const name = group + "/partition_" + two_digits(g);
    EXPECT_EQ(partitions[g].subsets, read_partition(file, name)) << file << ' ' << name;
  }
}

std::vector<int> mask_indices(std::vector<double> const& mask) {
  std::vector<int> indices;
  for (std::size_t p = 0; p < mask.size(); ++p)
    if (mask[p] != 0) indices.push_back(static_cast<int>(p));
  return indices;
}

class GoldenSet : public testing::TestWithParam<std::string> {};

TEST_P(GoldenSet, RegionMaskAndIndicesAreThoseOfTheReference) {
  std::string const file = "partitions.h5";
  auto const shape = integers(golden::attribute(file, GetParam(), "recon_shape"));
  auto const expected = golden::read(file, GetParam() + "/ror_mask").values;
  std::string const setting = golden::text_attribute(file, GetParam(), "use_ror_mask");

  RegionMask mask = setting == "on" ? ellipse_mask(shape[0], shape[1]) : full_mask(shape[0], shape[1]);
  if (setting == "custom") mask = custom_mask(shape[0], shape[1], std::vector<float>(expected.begin(), expected.end()));

  EXPECT_EQ(std::vector<double>(mask.inside.begin(), mask.inside.end()), expected);
  EXPECT_EQ(mask.pixel_indices(), integers(golden::read(file, GetParam() + "/full_indices").values));
}

TEST_P(GoldenSet, ReferencePartitionsAreIdentical) {
  std::string const file = "partitions.h5";
  auto const indices = integers(golden::read(file, GetParam() + "/full_indices").values);
  auto const granularity = integers(golden::attribute(file, GetParam(), "granularity"));
  LegacyRandom random(static_cast<std::uint32_t>(golden::attribute(file, GetParam(), "seed").at(0)));

  expect_partitions(file, GetParam(), make_partitions(indices, granularity, PartitionMode::reference, random));
}

INSTANTIATE_TEST_SUITE_P(Partitions, GoldenSet, testing::Values("set_0", "set_1", "set_2", "set_3"));

class GoldenScan : public testing::TestWithParam<std::string> {};

TEST_P(GoldenScan, ReferencePartitionsAndSubsetOrdersAreIdentical) {
  std::string const& file = GetParam();
  auto const mask = golden::read(file, "parameters/ror_mask");
  auto const granularity = integers(golden::attribute(file, "parameters", "granularity"));
  auto const seed = static_cast<std::uint32_t>(golden::attribute(file, "/", "partition_seed").at(0));
  LegacyRandom random(seed);

  auto const partitions = make_partitions(mask_indices(mask.values), granularity, PartitionMode::reference, random);

  expect_partitions(file, "partitions", partitions);
  golden::Array const orders = golden::read(file, "runs/noisy/subset_order");
  std::vector<int> const sequence = integers(golden::read(file, "runs/noisy/partition_sequence").values);
  ASSERT_GE(sequence.size(), 3u);
  for (std::size_t it = 0; it < sequence.size(); ++it) {
    std::vector<int> order = subset_order(partitions[static_cast<std::size_t>(sequence[it])], random);
    order.resize(static_cast<std::size_t>(orders.shape[1]), -1);
    auto const row = orders.values.begin() + static_cast<Index>(it) * orders.shape[1];
    EXPECT_EQ(order, integers({row, row + orders.shape[1]})) << file << " iteration " << it;
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, GoldenScan,
                         testing::Values("parallel_basic.h5", "parallel_few_view_aspect.h5", "parallel_fine_voxels.h5",
                                         "parallel_limited_angle.h5", "parallel_odd_nonsquare.h5"));

TEST(RegionMask, RimIsRoundedWithoutFusedMultiplyAdd) {
  for (int rows = 2; rows < 60; ++rows)
    for (int cols = rows; cols < 120; cols += 7) {
      RegionMask const mask = ellipse_mask(rows, cols);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) {
          double const row = (i - (rows - 1) / 2.0) / ((rows - 1) / 2.0);
          double const col = (j - (cols - 1) / 2.0) / ((cols - 1) / 2.0);
          double const volatile row_squared = row * row;
          double const volatile col_squared = col * col;
          ASSERT_EQ(mask.inside[static_cast<std::size_t>(i * cols + j)] != 0, col_squared + row_squared <= 1.0)
              << rows << " x " << cols << " at " << i << ", " << j;
        }
    }
}

TEST(RegionMask, AxisOfOnePixelDoesNotRestrict) {
  EXPECT_EQ(ellipse_mask(1, 7).pixel_indices(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ellipse_mask(5, 1).pixel_indices().size(), 5u);
  EXPECT_EQ(ellipse_mask(1, 1).pixel_indices(), std::vector<int>{0});
}

TEST(RegionMask, AxisOfOnePixelIsEmptyInReferenceMode) {
  RegionMask const mask = ellipse_mask(1, 7, true);
  EXPECT_EQ(std::ranges::count(mask.inside, 1), 0);
  EXPECT_THROW(mask.pixel_indices(), InputError);
}

TEST(RegionMask, RefusesWhatIsNotAMask) {
  EXPECT_THROW(custom_mask(2, 2, std::vector<float>{1, 0, 1}), InputError);
  EXPECT_THROW(custom_mask(2, 2, std::vector<float>{1, 0, 1, 0.5f}), InputError);
  EXPECT_THROW(custom_mask(2, 2, std::vector<float>{0, 0, 0, 0}), InputError);
  EXPECT_THROW(full_mask(0, 2), InputError);
}

/// Every pixel once, sizes within one.
void expect_balanced(PixelPartition const& partition, std::vector<int> const& indices) {
  std::vector<int> all;
  std::size_t smallest = indices.size();
  std::size_t largest = 0;
  for (auto const& subset : partition.subsets) {
    EXPECT_TRUE(std::ranges::is_sorted(subset));
    all.insert(all.end(), subset.begin(), subset.end());
    smallest = std::min(smallest, subset.size());
    largest = std::max(largest, subset.size());
  }
  std::ranges::sort(all);
  EXPECT_EQ(all, indices);
  EXPECT_LE(largest - smallest, 1u);
  EXPECT_GE(smallest, 1u);
}

TEST(BalancedPartition, HoldsEachPixelOnceInSubsetsOfNearlyEqualSize) {
  std::vector<int> const indices = ellipse_mask(19, 23).pixel_indices();
  auto const most = static_cast<int>(indices.size());
  for (int const num_subsets : {1, 2, 3, 7, 64, 128, most - 1, most, most + 50}) {
    LegacyRandom random(4);
    PixelPartition const partition = balanced_partition(indices, num_subsets, random);
    EXPECT_EQ(partition.num_subsets(), std::min(num_subsets, most));
    expect_balanced(partition, indices);
    for (auto const& repeated : partition.repeated) EXPECT_TRUE(repeated.empty());
  }
}

TEST(BalancedPartition, SharesTheRandomStreamOfTheReferencePartition) {
  std::vector<int> const indices = ellipse_mask(19, 23).pixel_indices();
  for (int const num_subsets : {1, 4, 100, 5000}) {
    LegacyRandom first(6), second(6);
    balanced_partition(indices, num_subsets, first);
    reference_partition(indices, num_subsets, second);
    EXPECT_EQ(first.state(), second.state()) << num_subsets;
  }
}

TEST(BalancedPartition, EqualsTheReferenceWhereNothingHasToBeRepeated) {
  std::vector<int> const indices = full_mask(8, 12).pixel_indices();
  LegacyRandom first(6), second(6);
  EXPECT_EQ(balanced_partition(indices, 32, first).subsets, reference_partition(indices, 32, second).subsets);
}

TEST(ReferencePartition, NotesThePixelsThatOccurTwice) {
  std::vector<int> const indices = ellipse_mask(19, 23).pixel_indices();
  LegacyRandom random(8);
  PixelPartition const partition = reference_partition(indices, 64, random);

  std::map<int, int> count;
  for (auto const& subset : partition.subsets)
    for (int const pixel : subset) ++count[pixel];
  ASSERT_EQ(count.size(), indices.size());
  for (std::size_t s = 0; s < partition.subsets.size(); ++s) {
    std::vector<int> twice;
    for (int const pixel : partition.subsets[s])
      if (count[pixel] > 1) twice.push_back(pixel);
    EXPECT_EQ(partition.repeated[s], twice);
  }
  EXPECT_FALSE(partition.repeated.back().empty());
}

TEST(ReferencePartition, NeverHoldsAPixelTwiceInASubset) {
  for (int num_pixels = 5; num_pixels < 40; ++num_pixels) {
    std::vector<int> const indices = full_mask(1, num_pixels).pixel_indices();
    for (int num_subsets = 2; num_subsets <= num_pixels; ++num_subsets)
      for (std::uint32_t seed = 0; seed < 5; ++seed) {
        LegacyRandom random(seed);
        for (auto const& subset : reference_partition(indices, num_subsets, random).subsets) {
          ASSERT_FALSE(subset.empty());
          ASSERT_EQ(std::set<int>(subset.begin(), subset.end()).size(), subset.size());
        }
      }
  }
}

TEST(MakePartitions, SkippedPartitionsLeaveTheOthersAsTheyAre) {
  std::vector<int> const indices = ellipse_mask(19, 23).pixel_indices();
  std::vector<int> const granularity = default_granularity();
  std::vector<int> const schedule{2, 7, 7, 10};
  for (PartitionMode const mode : {PartitionMode::balanced, PartitionMode::reference}) {
    LegacyRandom all_random(6), some_random(6);
    auto const all = make_partitions(indices, granularity, mode, all_random);
    auto const some = make_partitions(indices, granularity, mode, some_random, schedule);
    EXPECT_EQ(all_random.state(), some_random.state());
    for (std::size_t g = 0; g < all.size(); ++g) {
      bool const wanted = std::ranges::find(schedule, static_cast<int>(g)) != schedule.end();
      EXPECT_EQ(some[g].empty(), !wanted);
      if (wanted) {
        EXPECT_EQ(some[g].subsets, all[g].subsets);
      }
    }
    EXPECT_NE(all[7].subsets, all[8].subsets);
  }
}

TEST(MakePartitions, RefusesAnImpossibleGranularity) {
  LegacyRandom random(0);
  std::vector<int> const indices{0, 1, 2};
  EXPECT_THROW(make_partitions(indices, {}, PartitionMode::balanced, random), InputError);
  EXPECT_THROW(make_partitions(indices, std::vector<int>{1, 0}, PartitionMode::balanced, random), InputError);
  EXPECT_THROW(make_partitions({}, std::vector<int>{1}, PartitionMode::reference, random), InputError);
}

TEST(GivenPartition, SortsRowsAndNotesRepeats) {
  PixelPartition const partition = given_partition({{3, 1}, {2, 1}, {5, 4}}, 6);
  EXPECT_EQ(partition.subsets, (std::vector<std::vector<int>>{{1, 3}, {1, 2}, {4, 5}}));
  EXPECT_EQ(partition.repeated, (std::vector<std::vector<int>>{{1}, {1}, {}}));
  EXPECT_THROW(given_partition({{0, 6}}, 6), InputError);
  EXPECT_THROW(given_partition({{-1, 3}}, 6), InputError);
}

TEST(Schedule, ExtendsAndTruncatesAsTheReference) {
  for (std::string const& name : golden::names("partitions.h5", "sequences")) {
    std::string const group = "sequences/" + name;
    auto const input = integers(golden::read("partitions.h5", group + "/input").values);
    auto const iterations = static_cast<int>(golden::attribute("partitions.h5", group, "max_iterations").at(0));
    EXPECT_EQ(extend_partition_sequence(input, iterations),
              integers(golden::read("partitions.h5", group + "/output").values));
  }
}

TEST(Schedule, DefaultsAreThoseOfTheReference) {
  EXPECT_EQ(default_granularity(), integers(golden::attribute("parallel_basic.h5", "parameters", "granularity")));
  EXPECT_EQ(default_partition_sequence(),
            integers(golden::attribute("parallel_basic.h5", "parameters", "partition_sequence")));
}

TEST(Schedule, FirstIterationSkipsTheStart) {
  std::vector<int> const sequence{2, 4, 6};
  EXPECT_EQ(partition_schedule(sequence, 7, 5, 2), (std::vector<int>{6, 6, 6}));
  EXPECT_EQ(partition_schedule(sequence, 7, 2, 1), (std::vector<int>{4}));
  EXPECT_TRUE(partition_schedule(sequence, 7, 2, 3).empty());
}

TEST(Schedule, RefusesUnknownPartitions) {
  std::vector<int> const sequence{2, 7};
  EXPECT_THROW(partition_schedule(sequence, 7, 5), InputError);
  EXPECT_THROW(partition_schedule({}, 7, 5), InputError);
  EXPECT_THROW(partition_schedule(sequence, 8, -1), InputError);
  EXPECT_THROW(partition_schedule(sequence, 8, 5, -1), InputError);
}

}  // namespace
}  // namespace strata
