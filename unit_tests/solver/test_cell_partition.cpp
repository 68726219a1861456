// Partitions whose subsets hold whole cells of 2 x 2 pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/model/pixel_list_builder.hpp"
#include "core/solver/pixel_partition.hpp"
#include "core/solver/vcd_schedule.hpp"

namespace strata {
namespace {

using Cell = std::pair<int, int>;

Cell cell_of(int pixel, int num_cols) {
  return {pixel / num_cols / 2, pixel % num_cols / 2};
}

struct Region {
  int num_rows, num_cols;
  std::vector<int> pixels;
};

/// Odd and even widths, single rows and columns, and the same with a part of the pixels left out at random.
std::vector<Region> regions() {
  std::vector<Region> all;
  std::mt19937 random(3);
  for (auto const& [rows, cols] :
       {std::pair(8, 10), std::pair(9, 11), std::pair(7, 6), std::pair(1, 15), std::pair(15, 1), std::pair(1, 1)})
    for (bool const masked : {false, true}) {
      Region region{rows, cols, {}};
      for (int p = 0; p < rows * cols; ++p)
        if (!masked || random() % 3 != 0 || p == 0) region.pixels.push_back(p);
      all.push_back(region);
    }
  return all;
}

int num_cells(Region const& region) {
  std::set<Cell> cells;
  for (int const p : region.pixels) cells.insert(cell_of(p, region.num_cols));
  return static_cast<int>(cells.size());
}

/// `check(region, number of subsets asked for, partition)`
template <class Check>
void for_all_partitions(Check const& check) {
  for (Region const& region : regions())
    for (int const subsets : {1, 2, 3, 5, 16, 1000}) {
      SCOPED_TRACE(testing::Message() << region.num_rows << " x " << region.num_cols << ", " << region.pixels.size()
                                      << " pixels, " << subsets << " subsets");
      LegacyRandom random(7);
      check(region, subsets, cell_partition(region.pixels, subsets, region.num_cols, random));
    }
}

TEST(CellPartition, HoldsEachPixelOnceAndIncreasing) {
  for_all_partitions([](Region const& region, int, PixelPartition const& partition) {
    std::vector<int> all;
    for (auto const& subset : partition.subsets) {
      EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
      all.insert(all.end(), subset.begin(), subset.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, region.pixels);
    EXPECT_EQ(partition.repeated, std::vector<std::vector<int>>(partition.subsets.size()));
  });
}

TEST(CellPartition, KeepsCellsWholeAndPutsAsManyIntoEachSubset) {
  for_all_partitions([](Region const& region, int subsets, PixelPartition const& partition) {
    EXPECT_EQ(partition.num_subsets(), std::min(subsets, num_cells(region)));
    std::map<Cell, int> owner;
    std::vector<int> sizes;
    for (int s = 0; s < partition.num_subsets(); ++s) {
      std::set<Cell> cells;
      for (int const p : partition.subsets[s]) {
        Cell const cell = cell_of(p, region.num_cols);
        cells.insert(cell);
        EXPECT_EQ(owner.try_emplace(cell, s).first->second, s) << "pixel " << p;
      }
      sizes.push_back(static_cast<int>(cells.size()));
    }
    auto const [fewest, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most, *fewest + 1);
    EXPECT_GE(*fewest, 1);
  });
}

/// What the kernel of cells takes for granted.
TEST(CellPartition, CellsAreRunsOfTheListsInZOrder) {
  for_all_partitions([](Region const& region, int, PixelPartition const& partition) {
    for (auto const& subset : partition.subsets) {
      std::set<Cell> done;
      Cell last{-1, -1};
      for (int const p : z_order(subset, region.num_cols)) {
        Cell const cell = cell_of(p, region.num_cols);
        if (cell != last) {
          EXPECT_TRUE(done.insert(cell).second) << "pixel " << p;
        }
        last = cell;
      }
    }
  });
}

TEST(CellPartition, IsTheSameForTheSameStreamAndAnotherForAnotherOne) {
  auto const region = regions()[2];
  auto const made = [&](std::uint32_t seed) {
    LegacyRandom random(seed);
    return cell_partition(region.pixels, 4, region.num_cols, random).subsets;
  };
  EXPECT_EQ(made(5), made(5));
  EXPECT_NE(made(5), made(6));
  // Not cells of one part of the plane, but drawn from all of it.
  for (auto const& subset : made(5)) {
    EXPECT_LT(subset.front() / region.num_cols, region.num_rows / 2);
    EXPECT_GE(subset.back() / region.num_cols, region.num_rows / 2);
  }
}

TEST(CellPartition, OneSubsetDrawsNoNumbers) {
  LegacyRandom random(1), untouched(1);
  EXPECT_EQ(cell_partition({0, 3, 4, 9}, 1, 5, random).subsets, (std::vector<std::vector<int>>{{0, 3, 4, 9}}));
  EXPECT_EQ(random.permutation(20), untouched.permutation(20));
}

TEST(CellPartition, RefusesNoPixelsAndNoSubsets) {
  LegacyRandom random;
  EXPECT_THROW(cell_partition({}, 2, 5, random), InputError);
  EXPECT_THROW(cell_partition({0, 1}, 0, 5, random), InputError);
}

TEST(MakeCellPartitions, SkippedPartitionsLeaveTheOthersAsTheyAre) {
  for (Region const& region : regions()) {
    std::vector<int> const granularity{1, 3, 5, 1000, 2};
    LegacyRandom all_random(11), few_random(11);
    auto const all =
        make_partitions(region.pixels, granularity, PartitionMode::balanced, all_random, {}, region.num_cols);
    auto const few = make_partitions(region.pixels, granularity, PartitionMode::balanced, few_random,
                                     std::vector<int>{2, 4}, region.num_cols);

    for (int const g : {0, 1, 3}) EXPECT_TRUE(few[g].empty());
    for (int const g : {2, 4}) EXPECT_EQ(few[g].subsets, all[g].subsets) << g;
    EXPECT_EQ(few_random.permutation(20), all_random.permutation(20));
  }
}

TEST(MakeCellSchedule, VisitsEverySubsetOfWholeCellsAndFinerPassesDoTheSame) {
  std::vector<int> pixels;
  for (int p = 0; p < 63 * 65; ++p) pixels.push_back(p);
  auto const schedule = make_schedule(
      {.granularity = {4, 16}, .partition_sequence = {0, 1}, .max_iterations = 3, .cell_cols = 65}, pixels);
  auto const finer = make_finer_passes(schedule.passes, 2, 2, pixels, 65);

  std::vector<PixelPartition> partitions = schedule.partitions;
  partitions.insert(partitions.end(), finer.partitions.begin(), finer.partitions.end());
  ASSERT_EQ(partitions.size(), 6u);
  for (auto const& partition : partitions) {
    std::set<Cell> seen;
    std::size_t cells = 0;
    for (auto const& subset : partition.subsets) {
      std::set<Cell> own;
      for (int const p : subset) own.insert(cell_of(p, 65));
      cells += own.size();
      seen.insert(own.begin(), own.end());
    }
    EXPECT_EQ(cells, seen.size());
    EXPECT_EQ(cells, 32u * 33u);
  }
  auto passes = schedule.passes;
  passes.insert(passes.end(), finer.passes.begin(), finer.passes.end());
  for (auto const& pass : passes) {
    auto order = pass.order;
    std::sort(order.begin(), order.end());
    ASSERT_EQ(static_cast<int>(order.size()), partitions.at(pass.partition).num_subsets());
    for (int s = 0; s < static_cast<int>(order.size()); ++s) EXPECT_EQ(order[s], s);
  }
}

}  // namespace
}  // namespace strata
