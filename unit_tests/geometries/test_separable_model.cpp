/// Geometries that couple slices on several devices: whole cylinders are exchanged.
#include <gtest/gtest.h>

#include <limits>

#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

/// \param max_exchange_bytes 1: small batches of cylinders
OperatorResults run_all(CtCase const& golden, int num_devices, int max_exchange_bytes, float padding) {
  TomographyModel const model(DeviceSet::virtual_devices(num_devices), golden.geometry(), golden.mask(),
                              max_exchange_bytes);
  return run_operators(model, golden.volume(model, "phantom"), golden.sinogram(model, "random_sinogram"), padding);
}

class SeparableModel : public testing::TestWithParam<char const*> {};

TEST_P(SeparableModel, GivesTheSameBitsOnAnyNumberOfDevicesWhateverThePadding) {
  CtCase const golden(GetParam());
  OperatorResults const one = run_all(golden, 1, 0, 0);

  for (int const devices : {2, 3, 5}) {
    SCOPED_TRACE(devices);
    EXPECT_EQ(run_all(golden, devices, 0, 0), one);
    EXPECT_EQ(run_all(golden, devices, 1, std::numeric_limits<float>::quiet_NaN()), one);
  }
  EXPECT_EQ(run_all(golden, 1, 0, std::numeric_limits<float>::quiet_NaN()), one);
}

INSTANTIATE_TEST_SUITE_P(Golden, SeparableModel,
                         testing::Values("cone_basic", "cone_helical", "translation_basic", "multiaxis_varied"),
                         [](auto const& test) { return std::string(test.param); });

}  // namespace
}  // namespace strata::test
