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

/// Sum over the groups of values that differ by orders of magnitude, so that another order gives other bits.
std::vector<float> reduced(int views, int count) {
  auto const devices = DeviceSet::virtual_devices(count);
  auto const placement = Placement::of_views(devices, views);
  NodeReduction const nodes(placement);
  auto const group_value = [](int g) { return 1.0f / static_cast<float>(1 + g * g * g) + (g % 2 == 0 ? 1e4f : -1e4f); };
  auto const node_value = [&](TreeNode node, auto const& self) -> float {
    if (node.level == 0) return group_value(node.index);
    TreeNode const right{node.level - 1, 2 * node.index + 1};
    float const left = self({node.level - 1, 2 * node.index}, self);
    return groups_of(right, placement.groups()).empty() ? left : left + self(right, self);
  };
  int const blocks = 2, positions = 3, lanes = 16;
  std::vector<Cylinders> partials, staging;
  std::vector<Range> ranges(count);
  for (int d = 0; d < count; ++d) {
    partials.push_back(constant(*devices, d, nodes.num_nodes(d) * blocks, positions, lanes, 0));
    for (int n = 0; n < nodes.num_nodes(d); ++n)
      for (int b = 0; b < blocks; ++b)
        Kokkos::deep_copy(devices->exec(d), block_range(partials[d], {n * blocks + b, n * blocks + b + 1}),
                          node_value(nodes.nodes(d)[n], node_value) * static_cast<float>(b + 1));
    staging.push_back(constant(*devices, d, nodes.num_nodes() * blocks, positions, lanes, -1));
  }
  ranges[count - 1] = {0, blocks};  // the other devices get nothing
  devices->fence("test: filled");

  nodes.reduce(*devices, blocks, partials, ranges, staging);

  for (int d = 0; d + 1 < count; ++d) EXPECT_EQ(value_at(staging[d], 0, 0, 0), -1) << "device " << d;
  return {value_at(staging.back(), 0, 2, 15), value_at(staging.back(), 1, 0, 0)};
}

TEST(NodeReduction, GivesTheSameBitsOnAnyNumberOfDevices) {
  for (int const views : {1, 2, 3, 7, 32, 33, 100}) {
    auto const one = reduced(views, 1);
    for (int const count : {2, 3, 5, 7, 40}) EXPECT_EQ(reduced(views, count), one) << views << " views, " << count;
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
