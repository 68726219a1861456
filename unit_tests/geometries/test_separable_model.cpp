/// Geometries that couple slices on several devices: whole cylinders are exchanged.
#include <gtest/gtest.h>

#include <limits>

#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

struct Results {
  std::vector<float> forward, back, hessian;
  friend bool operator==(Results const&, Results const&) = default;
};

/// \param max_exchange_bytes 1: small batches of cylinders
Results run_all(CtCase const& golden, int num_devices, int max_exchange_bytes, float padding) {
  TomographyModel const model(DeviceSet::virtual_devices(num_devices), golden.geometry(), golden.mask(),
                              max_exchange_bytes);
  auto const phantom = golden.volume(model, "phantom");
  auto const random = golden.sinogram(model, "random_sinogram");
  auto const out = model.make_sinogram("test::out");
  auto const recon = model.make_volume("test::recon");
  if (padding != 0) {
    for (auto const& volume : {phantom, recon}) poison(model, volume, padding);
    for (auto const& sino : {random, out}) poison(model, sino, padding);
  }
  Results results;
  model.forward_project(phantom, out);
  results.forward = to_host(model, out);
  model.back_project(random, recon);
  results.back = to_host(model, recon);
  model.hessian_diagonal(random, recon);
  results.hessian = to_host(model, recon);
  return results;
}

class SeparableModel : public testing::TestWithParam<char const*> {};

TEST_P(SeparableModel, GivesTheSameBitsOnAnyNumberOfDevicesWhateverThePadding) {
  CtCase const golden(GetParam());
  Results const one = run_all(golden, 1, 0, 0);

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
