#include <gtest/gtest.h>

#include <limits>

#include "core/solver/direct_recon.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

constexpr char const* cases[] = {"parallel_basic",         "parallel_few_view_aspect", "parallel_fine_voxels",
                                 "parallel_limited_angle", "parallel_odd_nonsquare",   "solver_options_parallel"};

struct AllResults {
  std::vector<float> forward, back, hessian, filtered, direct;
};

AllResults run_all(CtCase const& golden, int num_devices, float padding) {
  auto const model = golden.model(num_devices);
  auto const phantom = golden.volume(*model, "phantom");
  auto const random = golden.sinogram(*model, "random_sinogram");
  auto const sinogram = golden.sinogram(*model, "sinogram");
  auto const ones = model->make_sinogram("test::ones");
  auto const out = model->make_sinogram("test::out");
  auto const recon = model->make_volume("test::recon");
  fill(model->sinogram_layout(), ones, 1);
  if (padding != 0) {
    for (auto const& volume : {phantom, recon}) poison(*model, volume, padding);
    for (auto const& sino : {random, sinogram, ones, out}) poison(*model, sino, padding);
  }
  AllResults results;
  model->forward_project(phantom, out);
  results.forward = to_host(*model, out);
  model->back_project(random, recon);
  results.back = to_host(*model, recon);
  model->hessian_diagonal(ones, recon);
  results.hessian = to_host(*model, recon);
  direct_recon(*model, sinogram, out, recon);
  results.filtered = to_host(*model, out);
  results.direct = to_host(*model, recon);
  return results;
}

void expect_equal(AllResults const& a, AllResults const& b) {
  EXPECT_EQ(a.forward, b.forward);
  EXPECT_EQ(a.back, b.back);
  EXPECT_EQ(a.hessian, b.hessian);
  EXPECT_EQ(a.filtered, b.filtered);
  EXPECT_EQ(a.direct, b.direct);
}

class GoldenOperators : public testing::TestWithParam<char const*> {};

TEST_P(GoldenOperators, AgreeWithTheReference) {
  CtCase const golden(GetParam());

  AllResults const results = run_all(golden, 1, 0);

  auto const check = [&](std::vector<float> const& values, char const* dataset, double tolerance) {
    auto const expected = golden.file().read<float>(dataset);
    EXPECT_LE(nrmse(values, expected), tolerance) << dataset;
    EXPECT_LE(max_relative(values, expected), 1e-5) << dataset;
  };
  check(results.forward, "sinogram", 2e-6);
  check(results.back, "back_projection", 2e-6);
  check(results.hessian, "hessian_diagonal", 2e-6);
  check(results.filtered, "filtered_sinogram", 3e-6);
  check(results.direct, "direct_recon", 3e-6);
}

TEST_P(GoldenOperators, GiveTheSameBitsOnAnyNumberOfDevices) {
  CtCase const golden(GetParam());
  AllResults const one = run_all(golden, 1, 0);

  for (int const devices : {2, 4, 7, 8}) {
    SCOPED_TRACE(devices);
    expect_equal(run_all(golden, devices, 0), one);
  }
}

TEST_P(GoldenOperators, DoNotSeeThePadding) {
  CtCase const golden(GetParam());
  AllResults const clean = run_all(golden, 3, 0);

  expect_equal(run_all(golden, 3, std::numeric_limits<float>::quiet_NaN()), clean);
  expect_equal(run_all(golden, 3, 1e30f), clean);
}

INSTANTIATE_TEST_SUITE_P(Parallel, GoldenOperators, testing::ValuesIn(cases),
                         [](auto const& test) { return std::string(test.param); });

}  // namespace
}  // namespace strata::test
