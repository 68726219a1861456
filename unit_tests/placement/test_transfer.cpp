#include "core/placement/transfer.hpp"

#include <gtest/gtest.h>

namespace strata {
namespace {

/// Cylinders on device `d` of which every entry is `value`.
Cylinders constant(DeviceSet const& devices, int d, int blocks, int positions, int lanes, float value) {
  auto const cylinders = make_view<Cylinders>(devices.exec(d), "test::cylinders", blocks, positions, lanes);
  Kokkos::deep_copy(devices.exec(d), cylinders, value);
  devices.exec(d).fence("test: filled");
  return cylinders;
}

float value_at(Cylinders const& cylinders, int block, int position, int lane) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cylinders);
  return host(block, position, lane);
}

TEST(BandBuffer, RefusesMoreThanItHasRoomFor) {
  auto const devices = DeviceSet::virtual_devices(1);
  BandBuffer const buffer(devices->exec(0), "test::buffer", 2 * 3 * 16);

  EXPECT_NO_THROW(buffer.cylinders(2, 3, 16));
  EXPECT_NO_THROW(buffer.cylinders(3, 2, 16));
  EXPECT_THROW(buffer.cylinders(2, 4, 16), Error);
  EXPECT_THROW(buffer.cylinders(1 << 20, 1 << 20, 64), Error) << "the product is beyond 32 bits";
}

TEST(AllGather, PutsTheShardsSideBySideOnEveryDevice) {
  for (int const slices : {2, 7, 200}) {
    int const count = 3;
    auto const devices = DeviceSet::virtual_devices(count);
    SliceBlocks const blocks(slices, count);
    std::vector<Cylinders> shards, targets;
    for (int d = 0; d < count; ++d) {
      shards.push_back(constant(*devices, d, blocks.per_shard, 4, blocks.lanes, static_cast<float>(d + 1)));
      targets.push_back(constant(*devices, d, blocks.num_blocks(), 4, blocks.lanes, 0));
    }

    all_gather(*devices, blocks, shards, targets);

    for (auto const& target : targets)
      for (int b = 0; b < blocks.num_blocks(); ++b)
        EXPECT_EQ(value_at(target, b, 3, blocks.lanes - 1), static_cast<float>(b / blocks.per_shard + 1));
  }
}

constexpr Memories all_memories[] = {Memories::of_the_machine, Memories::apart};

/// A list of positions on every device.
std::vector<Array1<int const>> on_every_device(DeviceSet const& devices, std::vector<int> const& positions) {
  std::vector<Array1<int const>> lists;
  for (int d = 0; d < devices.size(); ++d) {
    auto const list = make_view<Array1<int>>(devices.exec(d), "test::positions", positions.size());
    auto const host = Kokkos::create_mirror(list);
    for (std::size_t i = 0; i < positions.size(); ++i) host(i) = positions[i];
    Kokkos::deep_copy(devices.exec(d), list, host);
    devices.exec(d).fence("test: copied");
    lists.push_back(list);
  }
  return lists;
}

/// The value of a voxel that tells block and position.
float mark(int block, int position) {
  return static_cast<float>(100 * block + position);
}

/// A volume of `positions` pixels with marks.
std::vector<Cylinders> marked(DeviceSet const& devices, SliceBlocks const& blocks, int positions) {
  std::vector<Cylinders> shards;
  for (int d = 0; d < devices.size(); ++d) {
    shards.push_back(constant(devices, d, blocks.per_shard, positions, blocks.lanes, 0));
    auto const host = Kokkos::create_mirror(shards.back());
    for (int b = 0; b < blocks.per_shard; ++b)
      for (int p = 0; p < positions; ++p)
        for (int lane = 0; lane < blocks.lanes; ++lane) host(b, p, lane) = mark(blocks.blocks_of_shard(d).begin + b, p);
    Kokkos::deep_copy(devices.exec(d), shards.back(), host);
    devices.exec(d).fence("test: filled");
  }
  return shards;
}

TEST(GatherPlaces, BringsListedCylindersOfAllShardsToEveryDevice) {
  for (Memories const memories : all_memories) {
    int const count = 3, entries = 2;
    auto const devices = DeviceSet::virtual_devices(count, memories);
    SliceBlocks const blocks(7, count);
    auto const volume = marked(*devices, blocks, 5);
    std::vector<Cylinders> rest, own, targets;
    for (int d = 0; d < count; ++d) {
      rest.push_back(from_position(volume[d], 3));
      own.push_back(constant(*devices, d, blocks.per_shard, entries, blocks.lanes, -1));
      targets.push_back(constant(*devices, d, blocks.num_blocks(), entries, blocks.lanes, -1));
    }

    gather_places(*devices, blocks, {volume, on_every_device(*devices, {4, 1})}, own, targets);

    for (auto const& target : targets)
      for (int b = 0; b < blocks.num_blocks(); ++b) {
        EXPECT_EQ(value_at(target, b, 0, 0), mark(b, 4));
        EXPECT_EQ(value_at(target, b, 1, blocks.lanes - 1), mark(b, 1));
      }

    gather_places(*devices, blocks, {rest, {}}, own, targets);

    for (auto const& target : targets)
      for (int b = 0; b < blocks.num_blocks(); ++b) EXPECT_EQ(value_at(target, b, 1, 3), mark(b, 4));
  }
}

TEST(BroadcastBand, BringsListedCylindersOfSomeBlocksToEveryDevice) {
  for (Memories const memories : all_memories) {
    int const count = 3, entries = 2;
    auto const devices = DeviceSet::virtual_devices(count, memories);
    SliceBlocks const blocks(400, count);
    ASSERT_EQ(blocks.per_shard, 3);
    auto const volume = marked(*devices, blocks, 5);
    auto const lists = on_every_device(*devices, {4, 1});
    std::vector<Cylinders> own, targets;
    for (int d = 0; d < count; ++d) {
      own.push_back(constant(*devices, d, 2, entries, blocks.lanes, -1));
      targets.push_back(constant(*devices, d, 2, entries, blocks.lanes, -1));
    }

    broadcast_band(*devices, {1, {1, 3}}, {volume, lists}, own, targets);

    for (auto const& target : targets)
      for (int b = 0; b < 2; ++b) {
        int const block = blocks.blocks_of_shard(1).begin + 1 + b;
        EXPECT_EQ(value_at(target, b, 0, 0), mark(block, 4));
        EXPECT_EQ(value_at(target, b, 1, blocks.lanes - 1), mark(block, 1));
      }
    for (int const d : {0, 2}) EXPECT_EQ(value_at(own[d], 0, 0, 0), -1) << "only the owner packs";
  }
}

/// Partial sums of the nodes of each device: over the groups of values that differ by orders of magnitude, so that
/// another order gives other bits. Block b has b + 1 times the value of block 0.
std::vector<Cylinders> partial_sums(Placement const& placement, NodeReduction const& nodes, int blocks, int positions,
                                    int lanes) {
  auto const group_value = [](int g) { return 1.0f / static_cast<float>(1 + g * g * g) + (g % 2 == 0 ? 1e4f : -1e4f); };
  auto const node_value = [&](TreeNode node, auto const& self) -> float {
    if (node.level == 0) return group_value(node.index);
    TreeNode const right{node.level - 1, 2 * node.index + 1};
    float const left = self({node.level - 1, 2 * node.index}, self);
    return groups_of(right, placement.groups()).empty() ? left : left + self(right, self);
  };
  DeviceSet const& devices = *placement.devices();
  std::vector<Cylinders> partials;
  for (int d = 0; d < devices.size(); ++d) {
    partials.push_back(constant(devices, d, nodes.num_nodes(d) * blocks, positions, lanes, 0));
    for (int n = 0; n < nodes.num_nodes(d); ++n)
      for (int b = 0; b < blocks; ++b)
        Kokkos::deep_copy(devices.exec(d), block_range(partials[d], {n * blocks + b, n * blocks + b + 1}),
                          node_value(nodes.nodes(d)[n], node_value) * static_cast<float>(b + 1));
  }
  devices.fence("test: filled");
  return partials;
}

std::vector<float> reduced(int views, int count, Memories memories) {
  auto const devices = DeviceSet::virtual_devices(count, memories);
  auto const placement = Placement::of_views(devices, views);
  NodeReduction const nodes(placement);
  int const blocks = 2, positions = 3, lanes = 2 * SliceBlocks::lane_step;
  auto const partials = partial_sums(placement, nodes, blocks, positions, lanes);
  std::vector<Cylinders> staging;
  std::vector<Range> ranges(count);
  for (int d = 0; d < count; ++d)
    staging.push_back(constant(*devices, d, nodes.num_nodes() * blocks, positions, lanes, -1));
  ranges[count - 1] = {0, blocks};  // the other devices get nothing
  devices->fence("test: filled");

  nodes.reduce(*devices, blocks, partials, ranges, staging);

  for (int d = 0; d + 1 < count; ++d) EXPECT_EQ(value_at(staging[d], 0, 0, 0), -1) << "device " << d;
  return {value_at(staging.back(), 0, 2, lanes - 1), value_at(staging.back(), 1, 0, 0)};
}

TEST(NodeReduction, GivesTheSameBitsOnAnyNumberOfDevices) {
  for (int const views : {1, 2, 3, 7, 32, 33, 100}) {
    auto const one = reduced(views, 1, Memories::of_the_machine);
    for (int const count : {2, 3, 5, 7, 40})
      for (Memories const memories : all_memories)
        EXPECT_EQ(reduced(views, count, memories), one) << views << " views, " << count;
  }
}

TEST(NodeReduction, PutsSumsToListedPlacesAndTouchesNoOthers) {
  int const count = 3, slices = 5;
  for (Memories const memories : all_memories) {
    auto const devices = DeviceSet::virtual_devices(count, memories);
    auto const views = Placement::of_views(devices, 100);
    NodeReduction const nodes(views);
    SliceBlocks const blocks(slices, count);
    auto const partials = partial_sums(views, nodes, blocks.num_blocks(), 2, blocks.lanes);
    std::vector<Cylinders> volume, staging;
    for (int d = 0; d < count; ++d) {
      volume.push_back(constant(*devices, d, blocks.per_shard, 4, blocks.lanes, -1));
      staging.push_back(constant(*devices, d, nodes.num_nodes() * blocks.per_shard, 2, blocks.lanes, 0));
    }

    nodes.reduce_to_places(*devices, blocks, partials, {volume, on_every_device(*devices, {3, 0})}, staging);

    float const sum = reduced(100, 1, Memories::of_the_machine)[0];
    for (int d = 0; d < count; ++d) {
      float const expected = sum * static_cast<float>(d + 1);
      for (int const pixel : {0, 3}) EXPECT_NEAR(value_at(volume[d], 0, pixel, 1), expected, 0.05F) << d;
      for (int const pixel : {1, 2}) EXPECT_EQ(value_at(volume[d], 0, pixel, 1), -1) << d;
    }
  }
}

TEST(NodeReduction, PutsSumsOfABandToItsBlocksOfTheOwnerAlone) {
  int const count = 3;
  for (Memories const memories : all_memories) {
    auto const devices = DeviceSet::virtual_devices(count, memories);
    auto const views = Placement::of_views(devices, 100);
    NodeReduction const nodes(views);
    SliceBlocks const blocks(400, count);
    auto const partials = partial_sums(views, nodes, 2, 2, blocks.lanes);
    std::vector<Cylinders> volume, staging;
    for (int d = 0; d < count; ++d) {
      volume.push_back(constant(*devices, d, blocks.per_shard, 4, blocks.lanes, -1));
      staging.push_back(constant(*devices, d, nodes.num_nodes() * 2, 2, blocks.lanes, 0));
    }

    nodes.reduce_band(*devices, {2, {1, 3}}, partials, {volume, on_every_device(*devices, {3, 0})}, staging);

    auto const sums = reduced(100, 1, Memories::of_the_machine);
    for (int const pixel : {0, 3})
      for (int b = 0; b < 2; ++b) EXPECT_EQ(value_at(volume[2], 1 + b, pixel, 1), sums[b]) << "block " << b;
    for (int const pixel : {1, 2}) EXPECT_EQ(value_at(volume[2], 1, pixel, 1), -1) << pixel;
    EXPECT_EQ(value_at(volume[2], 0, 0, 1), -1) << "another block";
    for (int const d : {0, 1}) EXPECT_EQ(value_at(volume[d], 1, 0, 1), -1) << "device " << d;
  }
}

TEST(NodeReduction, IsTrivialOnASingleDeviceOnly) {
  EXPECT_TRUE(NodeReduction(Placement::of_views(DeviceSet::virtual_devices(1), 50)).trivial());
  EXPECT_FALSE(NodeReduction(Placement::of_views(DeviceSet::virtual_devices(2), 50)).trivial());
  // One device has the only view; the others own slices and need its sums.
  EXPECT_FALSE(NodeReduction(Placement::of_views(DeviceSet::virtual_devices(7), 1)).trivial());
}

}  // namespace
}  // namespace strata
