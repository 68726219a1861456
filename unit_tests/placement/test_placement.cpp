#include "core/placement/placement.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/base/error.hpp"
#include "core/placement/sharded.hpp"

namespace strata {
namespace {

std::vector<int> const sizes = {1, 2, 3, 7, 16, 17, 63, 64, 65, 129, 255, 1000};
std::vector<int> const counts = {1, 2, 3, 5, 7, 13};

TEST(SliceBlocks, HoldEverySliceInExactlyOneLane) {
  for (int const slices : sizes)
    for (int const shards : counts) {
      SCOPED_TRACE(testing::Message() << slices << " slices, " << shards << " shards");
      SliceBlocks const blocks(slices, shards);
      std::vector<int> seen(slices, 0);
      for (int b = 0; b < blocks.num_blocks(); ++b) {
        Range const part = blocks.slices(b);
        EXPECT_LE(part.size(), blocks.lanes);
        for (int k = part.begin; k < part.end; ++k) {
          ++seen.at(k);
          EXPECT_EQ(blocks.block_of(k), b);
          EXPECT_EQ(blocks.lane_of(k), k - part.begin);
        }
      }
      EXPECT_EQ(seen, std::vector<int>(slices, 1));
    }
}

TEST(SliceBlocks, HaveWholeVectorsOfLanesAndNoMoreThanAllowed) {
  for (int const slices : sizes)
    for (int const shards : counts) {
      SliceBlocks const blocks(slices, shards);
      EXPECT_EQ(blocks.lanes % SliceBlocks::lane_step, 0);
      EXPECT_LE(blocks.lanes, SliceBlocks::max_lanes);
      EXPECT_GE(blocks.per_shard * blocks.lanes, blocks.shard_size);
      EXPECT_LT(blocks.per_shard * blocks.lanes - blocks.shard_size, blocks.per_shard * SliceBlocks::lane_step);
    }
}

TEST(SliceBlocks, SingleHoldsAllSlicesInOneBlock) {
  for (int const slices : sizes) {
    auto const blocks = SliceBlocks::single(slices);
    EXPECT_EQ(blocks.num_blocks(), 1);
    EXPECT_EQ(blocks.slices(0), (Range{0, slices}));
    EXPECT_EQ(blocks.lane_of(slices - 1), slices - 1);
  }
}

TEST(SliceBlocks, RefuseNoSlicesAndNoShards) {
  EXPECT_THROW(SliceBlocks(0, 1), Error);
  EXPECT_THROW(SliceBlocks(4, 0), Error);
}

void expect_whole_axis(Placement const& placement) {
  int next = 0;
  for (int d = 0; d < placement.num_devices(); ++d) {
    Range const own = placement.owned(d);
    EXPECT_EQ(own.begin, next);
    EXPECT_GE(own.size(), 0);
    EXPECT_LE(own.size(), placement.shard_size());
    auto const mask = placement.mask(d);
    EXPECT_EQ(static_cast<int>(mask.size()), placement.shard_size());
    EXPECT_EQ(std::accumulate(mask.begin(), mask.end(), 0), own.size());
    next = own.end;
  }
  EXPECT_EQ(next, placement.real_size());
  EXPECT_GE(placement.padded_size(), placement.real_size());
}

TEST(Placement, OwnersHaveEverySliceAndEveryViewOnceInOrder) {
  for (int const devices : counts) {
    auto const set = DeviceSet::virtual_devices(devices);
    for (int const size : sizes) {
      SCOPED_TRACE(testing::Message() << size << " on " << devices << " devices");
      expect_whole_axis(Placement::of_slices(set, size));
      expect_whole_axis(Placement::of_views(set, size));
    }
  }
}

TEST(Placement, ViewSharesBeginOnGroupBoundariesAndDifferByOneGroup) {
  for (int const devices : counts)
    for (int const views : sizes) {
      auto const placement = Placement::of_views(DeviceSet::virtual_devices(devices), views);
      int fewest = views, most = 0;
      for (int d = 0; d < devices; ++d) {
        Range const own = placement.owned(d);
        EXPECT_EQ(groups_in(own, placement.groups()), placement.owned_groups(d));
        fewest = std::min(fewest, placement.owned_groups(d).size());
        most = std::max(most, placement.owned_groups(d).size());
      }
      EXPECT_LE(most - fewest, 1) << views << " views on " << devices << " devices";
    }
}

TEST(Placement, MoreDevicesThanSlicesLeavesTheLastOnesWithoutAny) {
  auto const placement = Placement::of_slices(DeviceSet::virtual_devices(7), 2);

  EXPECT_EQ(placement.owned(0), (Range{0, 1}));
  EXPECT_EQ(placement.owned(1), (Range{1, 2}));
  for (int d = 2; d < 7; ++d) EXPECT_TRUE(placement.owned(d).empty());
}

TEST(Placement, RefusesAnEmptyAxis) {
  auto const devices = DeviceSet::virtual_devices(2);

  EXPECT_THROW(Placement::of_slices(devices, 0), Error);
  EXPECT_THROW(Placement::of_views(devices, 0), Error);
}

TEST(StoredChannels, KeepViewsOffPowersOfTwo) {
  for (int channels = 1; channels < 3000; ++channels) {
    int const stored = stored_channels(channels, 16);
    EXPECT_GE(stored, channels);
    EXPECT_NE(stored * 16 * 4 % 4096, 0) << channels;
  }
}

}  // namespace
}  // namespace strata
