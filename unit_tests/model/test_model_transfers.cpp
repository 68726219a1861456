// What the operators of a model ask of Kokkos, and that batches and buffers do not change results.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "unit_tests/support/ct_case.hpp"
#include "unit_tests/support/tool_watch.hpp"

namespace strata::test {
namespace {

/// How many of the watched fences are neither named by us nor there for the watch.
long foreign_fences() {
  auto const& fences = ToolWatch::events().fences;
  return std::count_if(fences.begin(), fences.end(), [](std::string const& label) {
    return !label.starts_with("strata::") && !label.starts_with("Kokkos::Tools::invoke_kokkosp_callback");
  });
}

/// All operators of one model, on arrays of its own.
struct Operators {
  TomographyModel const& model;
  ShardedVolume volume = model.make_volume("test::volume");
  ShardedSinogram sinogram = model.make_sinogram("test::sinogram");

  void run() const {
    model.forward_project(volume, sinogram);
    model.back_project(sinogram, volume);
    model.hessian_diagonal(sinogram, volume);
  }
};

class ModelTransfers : public testing::TestWithParam<char const*> {};

TEST_P(ModelTransfers, OneDeviceCopiesNothing) {
  auto const model = CtCase(GetParam()).model(1);
  Operators const operators{*model};
  ToolWatch const watch;

  operators.run();

  EXPECT_EQ(ToolWatch::events().copies, 0);
  EXPECT_EQ(ToolWatch::events().allocations, 0);
  EXPECT_EQ(foreign_fences(), 0);
}

/// Runs the operators twice, the second time watched.
void watch_three_devices(char const* scan, Memories memories) {
  CtCase const golden(scan);
  TomographyModel const model(DeviceSet::virtual_devices(3, memories), golden.geometry(), golden.mask());
  Operators const operators{model};
  operators.run();
  ToolWatch const watch;

  operators.run();

  EXPECT_EQ(ToolWatch::events().allocations, 0);
  EXPECT_EQ(foreign_fences(), 0);
}

TEST_P(ModelTransfers, SeveralDevicesAllocateNothingAfterTheFirstTimeAndWaitForNamedReasons) {
  watch_three_devices(GetParam(), Memories::apart);
  EXPECT_GT(ToolWatch::events().copies, 0) << "the watch sees nothing";
}

TEST_P(ModelTransfers, DevicesThatShareAMemoryCopyNoBuffers) {
  if (!DeviceSet::virtual_devices(2)->share_memory()) GTEST_SKIP() << "GPUs copy";
  watch_three_devices(GetParam(), Memories::of_the_machine);
  EXPECT_EQ(ToolWatch::events().copies, 0);
}

TEST_P(ModelTransfers, DevicesThatShareAMemoryProjectTheSlicesOfOthersWhereTheyLie) {
  if (!DeviceSet::virtual_devices(2)->share_memory()) GTEST_SKIP() << "GPUs copy";
  CtCase const golden(GetParam());
  TomographyModel const model(DeviceSet::virtual_devices(3), golden.geometry(), golden.mask());
  Operators const operators{model};
  ToolWatch const watch;

  model.forward_project(operators.volume, operators.sinogram);

  EXPECT_EQ(ToolWatch::events().allocations, 0) << "a buffer for cylinders was made";
}

TEST(WholeVolume, HoldsTheShardsInTheirOrder) {
  auto const devices = DeviceSet::virtual_devices(3);
  if (!devices->share_memory()) GTEST_SKIP() << "GPUs have memories of their own";
  auto const volume = make_volume(Placement::of_slices(devices, 200), 5, "test::volume");
  Index const values = Index(volume[0].size());
  ASSERT_EQ(Index(volume.whole.size()), 3 * values);
  for (int d = 0; d < 3; ++d) EXPECT_EQ(volume[d].data(), volume.whole.data() + d * values) << d;
}

TEST(WholeVolume, IsNotThereWhereMemoriesAreApart) {
  auto const devices = DeviceSet::virtual_devices(2, Memories::apart);
  EXPECT_FALSE(make_volume(Placement::of_slices(devices, 10), 5, "test::volume").whole.is_allocated());
}

struct Setting {
  int devices = 1;
  Index bytes = 0;
  int turns = 0;
  float padding = 0;
  Memories memories = Memories::of_the_machine;
};

OperatorResults results_of(CtCase const& golden, Setting const& setting) {
  TomographyModel const model(DeviceSet::virtual_devices(setting.devices, setting.memories), golden.geometry(),
                              golden.mask(), setting.bytes, setting.turns);
  return run_operators(model, golden.volume(model, "phantom"), golden.sinogram(model, "random_sinogram"),
                       setting.padding);
}

TEST_P(ModelTransfers, DevicesBatchesBuffersAndPaddingDoNotChangeABit) {
  CtCase const golden(GetParam());
  OperatorResults const one = results_of(golden, {});
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();

  for (int const devices : {2, 3, 4, 5, 7, 8, 40}) {
    SCOPED_TRACE(devices);
    EXPECT_TRUE(results_of(golden, {.devices = devices, .padding = 1e30F}) == one);
    EXPECT_TRUE(results_of(golden, {devices, 1, 2, nan, Memories::apart}) == one) << "two buffers, copies";
  }
  EXPECT_TRUE(results_of(golden, {3, 1, 2, nan}) == one) << "two buffers";
  EXPECT_TRUE(results_of(golden, {3, 1, 1, nan, Memories::apart}) == one) << "copies";
}

INSTANTIATE_TEST_SUITE_P(Golden, ModelTransfers,
                         testing::Values("parallel_odd_nonsquare", "cone_basic", "cone_helical", "translation_basic",
                                         "multiaxis_varied"),
                         [](auto const& test) { return std::string(test.param); });

}  // namespace
}  // namespace strata::test
