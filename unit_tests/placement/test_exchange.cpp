#include "core/placement/exchange_host.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace strata {
namespace {

std::vector<int> const device_counts = {1, 2, 3, 7};

std::vector<float> counting(Index size) {
  std::vector<float> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

/// What device memory holds, by plain indexing.
template <class V>
auto host_copy(V const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  Kokkos::fence("test: host copy");
  return host;
}

TEST(HostExchange, PutsEveryPixelAndSliceWhereThePlacementSays) {
  int const pixels = 11;
  for (int const devices : device_counts)
    for (int const slices : {1, 2, 17, 130}) {
      SCOPED_TRACE(testing::Message() << slices << " slices on " << devices << " devices");
      auto const set = DeviceSet::virtual_devices(devices);
      auto const placement = Placement::of_slices(set, slices);
      auto const volume = make_volume(placement, pixels, "test::volume");
      auto const values = counting(Index(pixels) * slices);

      HostExchange(set, Index(pixels) * slices).put_pixels(volume, {0, pixels}, values);

      SliceBlocks const& blocks = placement.blocks();
      for (int d = 0; d < devices; ++d) {
        auto const host = host_copy(volume[d]);
        for (int k = placement.owned(d).begin; k < placement.owned(d).end; ++k)
          for (int p = 0; p < pixels; ++p)
            ASSERT_EQ(host(blocks.block_of(k) - d * blocks.per_shard, p, blocks.lane_of(k)),
                      values[static_cast<std::size_t>(p) * slices + k]);
      }
    }
}

TEST(HostExchange, VolumesComeBackAsTheyWentInPartsThatDivideNothing) {
  int const pixels = 13, part = 5;
  for (int const devices : device_counts)
    for (int const slices : {1, 2, 17, 130}) {
      auto const set = DeviceSet::virtual_devices(devices);
      auto const volume = make_volume(Placement::of_slices(set, slices), pixels, "test::volume");
      auto const values = counting(Index(pixels) * slices);
      std::vector<float> back(values.size(), -1);
      HostExchange const exchange(set, Index(part) * slices);

      for (int p = 0; p < pixels; p += part) {
        Range const range{p, std::min(p + part, pixels)};
        auto const offset = static_cast<std::size_t>(p) * slices;
        auto const count = static_cast<std::size_t>(range.size()) * slices;
        exchange.put_pixels(volume, range, std::span(values).subspan(offset, count));
        exchange.get_pixels(volume, range, std::span(back).subspan(offset, count));
      }

      EXPECT_EQ(back, values) << slices << " slices on " << devices << " devices";
    }
}

TEST(HostExchange, SinogramsComeBackAsTheyWentInPartsThatDivideNothing) {
  int const rows = 17, channels = 5, part = 3;
  for (int const devices : device_counts)
    for (int const views : {1, 2, 7, 33, 70}) {
      auto const set = DeviceSet::virtual_devices(devices);
      SinogramLayout const layout{SliceBlocks(rows, devices), channels};
      auto const sinogram = make_sinogram(Placement::of_views(set, views), layout.rows, channels, "test::sinogram");
      Index const per_view = Index(rows) * channels;
      auto const values = counting(views * per_view);
      std::vector<float> back(values.size(), -1);
      HostExchange const exchange(set, part * per_view);

      for (int v = 0; v < views; v += part) {
        Range const range{v, std::min(v + part, views)};
        auto const offset = static_cast<std::size_t>(v * per_view);
        auto const count = static_cast<std::size_t>(range.size() * per_view);
        exchange.put_views(sinogram, layout, range, std::span(values).subspan(offset, count));
        exchange.get_views(sinogram, layout, range, std::span(back).subspan(offset, count));
      }

      EXPECT_EQ(back, values) << views << " views on " << devices << " devices";
    }
}

TEST(HostExchange, PutsEveryViewRowAndChannelWhereThePlacementSays) {
  int const views = 37, rows = 19, channels = 3, devices = 3;
  auto const set = DeviceSet::virtual_devices(devices);
  auto const placement = Placement::of_views(set, views);
  SinogramLayout const layout{SliceBlocks(rows, devices), channels};
  auto const sinogram = make_sinogram(placement, layout.rows, channels, "test::sinogram");
  auto const values = counting(Index(views) * rows * channels);

  HostExchange(set, Index(views) * rows * channels).put_views(sinogram, layout, {0, views}, values);

  for (int d = 0; d < devices; ++d) {
    Range const own = placement.owned(d);
    auto const host = host_copy(sinogram[d]);
    for (int v = own.begin; v < own.end; ++v)
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < channels; ++c)
          ASSERT_EQ(host(v - own.begin, layout.rows.block_of(r), c, layout.rows.lane_of(r)),
                    values[(static_cast<std::size_t>(v) * rows + r) * channels + c]);
  }
}

TEST(PartLength, IsAtLeastOneAndNeverMoreThanTheAxis) {
  EXPECT_EQ(part_length(10, 1), 10);
  EXPECT_EQ(part_length(10, Index(1) << 40), 1);
  EXPECT_EQ(part_length(1, 0), 1);
  EXPECT_LE(Index(part_length(100000, 3000)) * 3000, Index(4) << 20);
}

TEST(Copy, CopiesEveryShard) {
  auto const set = DeviceSet::virtual_devices(3);
  auto const placement = Placement::of_slices(set, 20);
  auto const from = make_volume(placement, 4, "test::from");
  auto const to = make_volume(placement, 4, "test::to");
  auto const values = counting(4 * 20);
  HostExchange const exchange(set, 4 * 20);
  exchange.put_pixels(from, {0, 4}, values);

  copy(from, to);

  std::vector<float> back(values.size());
  exchange.get_pixels(to, {0, 4}, back);
  EXPECT_EQ(back, values);
}

}  // namespace
}  // namespace strata
