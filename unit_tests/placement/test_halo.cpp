#include <gtest/gtest.h>

#include <limits>

#include "core/placement/exchange_host.hpp"
#include "core/placement/transfer.hpp"

namespace strata {
namespace {

constexpr int num_pixels = 6;

float value_of(int pixel, int slice) {
  return static_cast<float>(1000 * pixel + slice + 1);
}

ShardedVolume numbered_volume(Devices const& devices, int slices) {
  auto const volume = make_volume(Placement::of_slices(devices, slices), num_pixels, "test::volume");
  for (auto const& shard : volume.shards) Kokkos::deep_copy(shard, std::numeric_limits<float>::quiet_NaN());
  Kokkos::fence("test: padding is poisoned");
  std::vector<float> values;
  for (int p = 0; p < num_pixels; ++p)
    for (int k = 0; k < slices; ++k) values.push_back(value_of(p, k));
  HostExchange(devices, Index(num_pixels) * slices).put_pixels(volume, {0, num_pixels}, values);
  return volume;
}

std::vector<float> host_values(Array1<Real const> const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.extent(0)};
}

std::vector<float> slice_values(int slice) {
  std::vector<float> values;
  for (int p = 0; p < num_pixels; ++p) values.push_back(value_of(p, slice));
  return values;
}

TEST(Halo, HoldsTheNeighboursBoundarySlicesAndIsEmptyAtTheEndsOfTheVolume) {
  for (int const count : {1, 2, 3, 5, 7})
    for (int const slices : {1, 2, 3, 7, 64, 65, 200}) {
      SCOPED_TRACE(testing::Message() << slices << " slices on " << count << " devices");
      auto const devices = DeviceSet::virtual_devices(count);
      auto const volume = numbered_volume(devices, slices);
      Halo const halo(volume.placement, num_pixels);

      halo.exchange(volume);

      for (int d = 0; d < count; ++d) {
        Range const own = volume.placement.owned(d);
        bool const has_below = !own.empty() && own.begin > 0;
        bool const has_above = !own.empty() && own.end < slices;
        EXPECT_EQ(host_values(halo.below(d)), has_below ? slice_values(own.begin - 1) : std::vector<float>{});
        EXPECT_EQ(host_values(halo.above(d)), has_above ? slice_values(own.end) : std::vector<float>{});
      }
    }
}

TEST(Halo, RefreshReadsTheListedPixelsAgainAndLeavesTheOthers) {
  int const slices = 9, count = 3;
  auto const devices = DeviceSet::virtual_devices(count);
  auto const volume = numbered_volume(devices, slices);
  Halo const halo(volume.placement, num_pixels);
  halo.exchange(volume);
  std::vector<Array1<int const>> pixels;
  for (int d = 0; d < count; ++d) {
    auto const list = make_view<Array1<int>>(devices->exec(d), "test::pixels", 2);
    auto const host = Kokkos::create_mirror(list);
    host(0) = 1;
    host(1) = 4;
    Kokkos::deep_copy(devices->exec(d), list, host);
    devices->exec(d).fence("test: list");
    pixels.push_back(list);
  }
  for (auto const& shard : volume.shards) Kokkos::deep_copy(shard, -5.0f);
  Kokkos::fence("test: changed");

  halo.refresh(volume, pixels);

  for (int p = 0; p < num_pixels; ++p) {
    bool const listed = p == 1 || p == 4;
    EXPECT_EQ(host_values(halo.below(1))[p], listed ? -5 : value_of(p, 2));
    EXPECT_EQ(host_values(halo.above(1))[p], listed ? -5 : value_of(p, 6));
  }
}

}  // namespace
}  // namespace strata
