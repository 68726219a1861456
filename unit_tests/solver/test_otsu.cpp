#include "core/solver/otsu.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

/// A volume of [rows * cols pixels][slices] on `devices` devices, from values in that order.
ShardedVolume make(std::vector<double> const& values, int slices, int devices) {
  auto const placement = Placement::of_slices(DeviceSet::virtual_devices(devices), slices);
  Index const pixels = static_cast<Index>(values.size()) / slices;
  auto const volume = make_volume(placement, pixels, "image");
  SliceBlocks const blocks = placement.blocks();
  for (int block = 0; block < blocks.num_blocks(); ++block) {
    int const device = block / blocks.per_shard;
    auto const host = Kokkos::create_mirror_view(Kokkos::HostSpace(), volume[device]);
    Kokkos::deep_copy(host, volume[device]);
    for (Index pixel = 0; pixel < pixels; ++pixel)
      for (int lane = 0; lane < blocks.lanes; ++lane) {
        int const slice = blocks.slices(block).begin + lane;
        host(block - device * blocks.per_shard, pixel, lane) =
            lane < blocks.slices(block).size()
                ? static_cast<float>(values[static_cast<std::size_t>(pixel * slices + slice)])
                : 1e30f;
      }
    Kokkos::deep_copy(volume[device], host);
  }
  return volume;
}

TEST(Otsu, ThresholdsAreThoseOfTheReferenceForEveryDeviceCount) {
  auto const image = golden::read("preprocess.h5", "otsu/image");
  for (int devices : {1, 2, 3, 5, 7})
    for (int classes : {2, 3}) {
      auto const expected = golden::attribute("preprocess.h5", "otsu", text("thresholds_", classes, "_classes"));
      auto const found = otsu_thresholds(histogram(make(image.values, 5, devices), 1024), classes);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << devices;
    }
}

TEST(Otsu, HistogramCountsEveryRealEntryOnce) {
  std::vector<double> values(6 * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  for (int devices : {1, 2, 5}) {
    auto const counts = histogram(make(values, 5, devices), 29);
    EXPECT_EQ(counts.low, 0);
    EXPECT_EQ(counts.high, 29);
    for (int bin = 0; bin < 28; ++bin) EXPECT_EQ(counts.counts[static_cast<std::size_t>(bin)], 1) << bin;
    EXPECT_EQ(counts.counts[28], 2);  // the last bin includes its right edge
  }
}

TEST(Otsu, PartsClearlySeparateClasses) {
  Histogram histogram{0, 100, std::vector<Index>(100)};
  for (int bin : {10, 11, 12}) histogram.counts[static_cast<std::size_t>(bin)] = 3000000000;  // beyond 32 bits
  for (int bin : {50, 51, 90}) histogram.counts[static_cast<std::size_t>(bin)] = 2500000000;
  auto const two = otsu_thresholds(histogram, 2);
  EXPECT_GT(two[0], 12);
  EXPECT_LE(two[0], 50);
}

TEST(Otsu, TooFewValuesAreRefused) {
  EXPECT_THROW(otsu_thresholds({0, 0, std::vector<Index>{7, 0, 0, 0}}, 2), InputError);
  EXPECT_THROW(otsu_thresholds({0, 1, std::vector<Index>{7, 0, 0, 3}}, 3), InputError);
}

}  // namespace
}  // namespace strata
