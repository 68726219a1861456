#include "core/placement/device_set.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/base/error.hpp"

namespace strata {
namespace {

TEST(DeviceSet, CallsEveryDeviceOnceWithItsOwnInstance) {
  for (int const count : {1, 2, 3, 5, 17}) {
    auto const devices = DeviceSet::virtual_devices(count);
    std::vector<int> calls(count, 0);
    std::vector<ExecSpace const*> instances(count, nullptr);

    devices->for_each([&](int d, ExecSpace const& exec) {
      ++calls[d];
      instances[d] = &exec;
    });

    EXPECT_EQ(calls, std::vector<int>(count, 1));
    for (int d = 0; d < count; ++d) EXPECT_EQ(instances[d], &devices->exec(d));
    EXPECT_EQ(devices->size(), count);
    EXPECT_EQ(static_cast<int>(devices->descriptions().size()), count);
  }
}

TEST(DeviceSet, SeveralDevicesWorkOnThreadsOfTheirOwnThatStayTheSame) {
  auto const devices = DeviceSet::virtual_devices(3);
  std::vector<std::thread::id> first(3), second(3);

  devices->for_each([&](int d, ExecSpace const&) { first[d] = std::this_thread::get_id(); });
  devices->for_each([&](int d, ExecSpace const&) { second[d] = std::this_thread::get_id(); });

  EXPECT_EQ(first, second);
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), 3u);
}

TEST(DeviceSet, AnExceptionOfOneDeviceComesBackAfterAllHaveReturned) {
  auto const devices = DeviceSet::virtual_devices(4);
  std::atomic<int> returned = 0;

  EXPECT_THROW(devices->for_each([&](int d, ExecSpace const&) {
    if (d == 1) throw InputError("device 1 fails");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ++returned;
  }),
               InputError);

  EXPECT_EQ(returned, 3);
}

TEST(DeviceSet, ReportsTheFirstDevicesExceptionWhenAllFailAndWorksOn) {
  auto const devices = DeviceSet::virtual_devices(3);

  try {
    devices->for_each([](int d, ExecSpace const&) { throw Error(text("device ", d)); });
    FAIL() << "nothing was thrown";
  } catch (Error const& error) {
    EXPECT_STREQ(error.what(), "device 0");
  }

  std::atomic<int> calls = 0;
  devices->for_each([&](int, ExecSpace const&) { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST(DeviceSet, SetsThatLiveAtTheSameTimeDoNotDisturbEachOther) {
  auto const two = DeviceSet::virtual_devices(2);
  auto const five = DeviceSet::virtual_devices(5);
  std::atomic<int> calls = 0;

  two->for_each([&](int, ExecSpace const&) { ++calls; });
  five->for_each([&](int, ExecSpace const&) { ++calls; });

  EXPECT_EQ(calls, 7);
}

TEST(DeviceSet, RefusesRequestsThatThisMachineCannotMeet) {
  using Kind = DeviceRequest::Kind;
  EXPECT_THROW(DeviceSet::create({Kind::count, 0, {}}), InputError);
  EXPECT_THROW(DeviceSet::create({Kind::count, -3, {}}), InputError);
  EXPECT_THROW(DeviceSet::create({Kind::indices, 0, {}}), InputError);
  EXPECT_THROW(DeviceSet::create({Kind::indices, 0, {-1}}), InputError);
  EXPECT_THROW(DeviceSet::create({Kind::indices, 0, {0, 1000}}), InputError);
}

TEST(DeviceSet, TheMemoryOfADeviceIsSharedByThoseOnIt) {
  auto const one = DeviceSet::virtual_devices(1);
  auto const five = DeviceSet::virtual_devices(5);

  EXPECT_GT(five->free_bytes(4), 0);
  EXPECT_LT(five->free_bytes(0), one->free_bytes(0));
}

TEST(DeviceSet, TheSummarySaysHowManyDevicesThereAre) {
  EXPECT_EQ(DeviceSet::virtual_devices(1)->summary().substr(0, 4), "1 x ");
  auto const three = DeviceSet::virtual_devices(3)->summary();
  EXPECT_EQ(three.substr(0, 4), "3 x ");
  EXPECT_NE(three.find("(sharded)"), std::string::npos);
}

}  // namespace
}  // namespace strata
