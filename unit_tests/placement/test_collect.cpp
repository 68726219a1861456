#include "core/placement/collect.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "core/base/error.hpp"
#include "core/placement/per_device.hpp"

namespace strata {
namespace {

using HostArray = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

TEST(LocalDevices, AreAllOfThemInOrderInASingleProcess) {
  for (int const count : {1, 2, 5}) {
    auto const devices = DeviceSet::virtual_devices(count);
    std::vector<int> visited(static_cast<std::size_t>(count), -1);

    devices->for_each([&](int d, ExecSpace const&) { visited[static_cast<std::size_t>(d)] = d; });

    EXPECT_EQ(static_cast<int>(devices->local().size()), count);
    EXPECT_EQ(devices->local(), visited);
  }
}

TEST(PerLocalDevice, PutsWhatIsMadeAtTheNumberOfItsDevice) {
  auto const devices = DeviceSet::virtual_devices(3);

  auto const values = per_local_device(*devices, [](int d) { return std::make_unique<int>(10 * d); });

  ASSERT_EQ(values.size(), 3u);
  for (int const d : devices->local()) EXPECT_EQ(*values[static_cast<std::size_t>(d)], 10 * d);
}

TEST(Collect, GivesTheArraysOfAllDevicesInOrder) {
  auto const devices = DeviceSet::virtual_devices(3);
  auto const arrays = make_host_arrays<HostArray>(*devices, "strata::test", 2, 4);
  for (int const d : devices->local()) arrays[static_cast<std::size_t>(d)](1, 3) = d + 0.5;

  auto const all = collect(*devices, arrays);

  ASSERT_EQ(all.num_devices(), 3);
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(all[d](0, 0), 0);
    EXPECT_EQ(all[d](1, 3), d + 0.5);
  }
  EXPECT_EQ(collect_values(*devices, std::vector<Index>{3, 1, 2}), (std::vector<Index>{3, 1, 2}));
}

TEST(Collect, RefusesArraysThatAreMissingOrOfAnotherSize) {
  auto const devices = DeviceSet::virtual_devices(3);
  auto arrays = make_host_arrays<HostArray>(*devices, "strata::test", 2, 4);
  arrays[2] = HostArray("strata::test", 2, 5);
  EXPECT_THROW((void)collect(*devices, arrays), Error);
  arrays.pop_back();
  EXPECT_THROW((void)collect(*devices, arrays), Error);
  EXPECT_THROW((void)collect_values(*devices, std::vector<int>{1, 2}), Error);
}

}  // namespace
}  // namespace strata
