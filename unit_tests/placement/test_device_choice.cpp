#include "core/placement/device_choice.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/placement/device_set.hpp"

namespace strata {
namespace {

constexpr Index gigabyte = 1'000'000'000;

std::vector<Index> devices(int count, Index free = 140 * gigabyte) {
  return std::vector<Index>(count, free);
}

DeviceWork cube(int size, Index bytes = 0) {
  return {size, size, Index(size) * size, false, bytes};
}

TEST(DeviceChoice, TakesAllDevicesForALargeProblem) {
  for (int const count : {1, 2, 4, 8}) {
    auto const choice = choose_devices(devices(count), cube(2048));
    EXPECT_EQ(choice.count, count);
    EXPECT_EQ(choice.reason, "");
  }
}

TEST(DeviceChoice, TakesOneDeviceForASmallProblemAndSaysWhy) {
  auto const choice = choose_devices(devices(8), cube(128));

  EXPECT_EQ(choice.count, 1);
  EXPECT_EQ(choice.reason, "more would not be faster (8 found)");
}

TEST(DeviceChoice, NeverFallsAsTheProblemGrows) {
  int last = 1;
  for (int const size : {64, 128, 256, 512, 1024, 2048}) {
    int const count = choose_devices(devices(8), cube(size)).count;
    EXPECT_GE(count, last) << size;
    last = count;
  }
}

TEST(DeviceChoice, TakesMoreDevicesWhereSlicesCoupleForTheyComputeLonger) {
  DeviceWork work = cube(512);
  int const apart = choose_devices(devices(8), work).count;
  work.couples_slices = true;

  EXPECT_GT(choose_devices(devices(8), work).count, apart);
}

TEST(DeviceChoice, TakesAsManyAsTheArraysNeedHoweverSmallTheGain) {
  EXPECT_EQ(choose_devices(devices(8), cube(128, 20 * gigabyte)).count, 1);
  EXPECT_EQ(choose_devices(devices(8, 10 * gigabyte), cube(128, 21 * gigabyte)).count, 3);
  // What does not fit at all gets all devices; the memory plan refuses it with the numbers.
  EXPECT_EQ(choose_devices(devices(4, gigabyte), cube(128, 21 * gigabyte)).count, 4);
}

TEST(DeviceChoice, LeavesNoDeviceWithoutSlicesOrViews) {
  EXPECT_EQ(most_useful_devices(8, {3, 100, 1, false, 0}), 3);
  EXPECT_EQ(most_useful_devices(8, {100, 5, 1, false, 0}), 5);
  EXPECT_EQ(most_useful_devices(8, {9, 100, 1, false, 0}), 5) << "shares of two slices";
  EXPECT_EQ(most_useful_devices(1, {1, 1, 1, false, 0}), 1);
  auto const choice = choose_devices(devices(8), {2, 4000, Index(1) << 24, false, 0});
  EXPECT_EQ(choice.count, 2);
  EXPECT_EQ(choice.reason, "no slices or views for more (8 found)");
}

TEST(DeviceChoice, DenoisesLargeVolumesOnAllDevicesAndSmallOnesOnOne) {
  auto const volume = [](int size) { return DeviceWork{size, 0, Index(size) * size, false, 0}; };
  EXPECT_EQ(choose_devices(devices(8), volume(2048)).count, 8);
  EXPECT_EQ(choose_devices(devices(8), volume(64)).count, 1);
  EXPECT_EQ(most_useful_devices(8, {3, 0, 1, false, 0}), 3);
  DeviceCosts costs;
  costs.link_bytes = 1e30;
  auto const thin = choose_devices(devices(8), {2, 0, Index(1) << 28, false, 0}, costs);
  EXPECT_EQ(thin.count, 2);
  EXPECT_EQ(thin.reason, "no slices for more (8 found)");
}

TEST(DeviceChoice, AddsADeviceOnlyForTheGainThatIsAskedFor) {
  DeviceCosts costs;
  costs.launches = costs.round = costs.round_per_device = 0;
  costs.link_bytes = 1e30;  // scaling without loss
  EXPECT_EQ(choose_devices(devices(8), cube(64), costs).count, 8);
  costs.link_bytes = 1;  // every transfer takes for ever
  EXPECT_EQ(choose_devices(devices(8), cube(2048), costs).count, 1);
}

TEST(DeviceChoice, ConcernsAutomaticRequestsAlone) {
  DeviceWork const tiny{1, 1, 1, false, 0};

  EXPECT_EQ(DeviceSet::create({DeviceRequest::Kind::count, 3, {}}, tiny)->size(), 3);
  EXPECT_EQ(DeviceSet::create({}, tiny)->size(), 1);
}

}  // namespace
}  // namespace strata
