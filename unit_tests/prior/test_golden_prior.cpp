#include <gtest/gtest.h>

#include <numeric>

#include "prior/qggmrf.hpp"
#include "prior/qggmrf_kernels.hpp"
#include "unit_tests/prior/sharded_prior.hpp"
#include "unit_tests/reference/qggmrf_reference.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

using testing_prior::Result;
using testing_prior::Volume;
using testing_prior::widen;

char const* const file = "qggmrf_prior.h5";

Volume read_volume(std::string const& dataset) {
  golden::Array const array = golden::read(file, dataset);
  ReconShape const shape{int(array.shape[0]), int(array.shape[1]), int(array.shape[2])};
  return {shape, {array.values.begin(), array.values.end()}};
}

QGGMRFParams read_params(std::string const& set) {
  auto const number = [&](char const* name) { return golden::attribute(file, set, name).at(0); };
  auto const weights = golden::attribute(file, set, "qggmrf_nbr_wts");
  QGGMRFParams params;
  params.p = number("p");
  params.q = number("q");
  params.T = number("T");
  params.sigma_x = number("sigma_x");
  params.nbr_wts = {weights.at(0), weights.at(1), weights.at(2)};
  return params;
}

std::vector<int> pixels_in_order(ReconShape const& shape) {
  std::vector<int> pixels(shape.num_pixels());
  std::iota(pixels.begin(), pixels.end(), 0);
  return pixels;
}

double sum(std::vector<double> const& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// image_N/set_M of the file.
std::vector<std::string> all_sets() {
  std::vector<std::string> sets;
  for (std::string const& image : golden::names(file, "/"))
    for (std::string const& name : golden::names(file, image))
      if (name.rfind("set_", 0) == 0) sets.push_back(image + "/" + name);
  return sets;
}

class GoldenPrior : public testing::TestWithParam<std::string> {
 protected:
  std::string set() const { return GetParam(); }
  Volume volume() const { return read_volume(set().substr(0, set().find('/')) + "/image"); }
};

TEST_P(GoldenPrior, GradientAndCurvatureAgreeAtAllPixels) {
  Volume const x = volume();

  Result const result = testing_prior::gradient(*make_qggmrf_prior(read_params(set())), x, pixels_in_order(x.shape), 1);

  EXPECT_LE(golden::nrmse(widen(result.gradient), golden::read(file, set() + "/gradient").values), 1e-6);
  EXPECT_LE(golden::nrmse(widen(result.curvature), golden::read(file, set() + "/surrogate_hessian").values), 1e-6);
}

TEST_P(GoldenPrior, GradientAndCurvatureAgreeAtListedPixels) {
  Volume const x = volume();
  auto const listed = golden::read(file, set().substr(0, set().find('/')) + "/pixel_indices").values;

  Result const result =
      testing_prior::gradient(*make_qggmrf_prior(read_params(set())), x, {listed.begin(), listed.end()}, 1);

  EXPECT_LE(golden::nrmse(widen(result.gradient), golden::read(file, set() + "/gradient_at_indices").values), 1e-6);
  EXPECT_LE(golden::nrmse(widen(result.curvature), golden::read(file, set() + "/surrogate_hessian_at_indices").values),
            1e-6);
}

TEST_P(GoldenPrior, LossAgrees) {
  auto const prior = make_qggmrf_prior(read_params(set()));

  double const loss = sum(testing_prior::loss_per_slice(*prior, volume(), 1));

  double const expected = golden::attribute(file, set(), "loss").at(0);
  EXPECT_NEAR(loss, expected, 1e-6 * expected);
}

TEST_P(GoldenPrior, OracleOfTheTestsAgrees) {
  Volume const x = volume();
  QGGMRFParams const params = read_params(set());

  auto const result = reference::qggmrf_gradient(params, x.shape, widen(x.values));
  double const loss = reference::qggmrf_loss(params, x.shape, widen(x.values));

  EXPECT_LE(golden::nrmse(result.gradient, golden::read(file, set() + "/gradient").values), 1e-6);
  EXPECT_LE(golden::nrmse(result.curvature, golden::read(file, set() + "/surrogate_hessian").values), 1e-6);
  double const expected = golden::attribute(file, set(), "loss").at(0);
  EXPECT_NEAR(loss, expected, 1e-6 * expected);
}

INSTANTIATE_TEST_SUITE_P(AllSets, GoldenPrior, testing::ValuesIn(all_sets()), [](auto const& set) {
  std::string name = set.param;
  name[name.find('/')] = '_';
  return name;
});

TEST(GoldenPriorHalo, SlicesBelowAndAboveTakeTheReflectionsPlace) {
  Volume const x = read_volume("image_0/image");
  auto const below = golden::read(file, "image_0/halo/lower_slice").values;
  auto const above = golden::read(file, "image_0/halo/upper_slice").values;
  testing_prior::OuterSlices const outer{{below.begin(), below.end()}, {above.begin(), above.end()}};
  auto const prior = make_qggmrf_prior(read_params("image_0/set_0"));

  for (int const num_shards : {1, 3}) {
    Result const result = testing_prior::gradient(*prior, x, pixels_in_order(x.shape), num_shards, {}, outer);

    EXPECT_LE(golden::nrmse(widen(result.gradient), golden::read(file, "image_0/halo/gradient").values), 1e-6);
    EXPECT_LE(golden::nrmse(widen(result.curvature), golden::read(file, "image_0/halo/surrogate_hessian").values),
              1e-6);
  }
}

}  // namespace
}  // namespace strata
