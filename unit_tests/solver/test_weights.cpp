#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/solver/weights.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

TEST(WeightModels, ReproduceTheReference) {
  auto const read = golden::read("regularisation.h5", "weight_models/sinogram").values;
  std::vector<float> const sinogram(read.begin(), read.end());
  for (char const* name : {"unweighted", "transmission", "transmission_root", "emission"}) {
    std::vector<float> weights(sinogram.size());
    compute_weights(parse_weight_model(name), sinogram, weights);
    auto const expected = golden::read("regularisation.h5", std::string("weight_models/") + name).values;
    EXPECT_LT(golden::max_relative({weights.begin(), weights.end()}, expected), 1e-6) << name;
  }
}

TEST(WeightModels, UnknownNameListsTheKnownOnes) {
  try {
    parse_weight_model("transmision");
    FAIL() << "accepted";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(),
                 "weights: the type must be one of unweighted, transmission, transmission_root, emission; found "
                 "'transmision'");
  }
}

TEST(WeightModels, RefuseLineIntegralsThatNoScanHas) {
  std::vector<float> weights(1);
  for (float const s : {-50.0f, -200.0f, -10.5f}) {
    std::vector<float> const sinogram{s};
    EXPECT_THROW(compute_weights(WeightModel::transmission, sinogram, weights), InputError) << s;
    EXPECT_THROW(compute_weights(WeightModel::transmission_root, sinogram, weights), InputError) << s;
    compute_weights(WeightModel::emission, sinogram, weights);
    EXPECT_FLOAT_EQ(weights[0], 1 / (0.1f - s));
  }
  for (float const s : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    for (WeightModel const model : {WeightModel::unweighted, WeightModel::transmission, WeightModel::emission})
      EXPECT_THROW(compute_weights(model, std::vector<float>{s}, weights), InputError);
}

TEST(WeightModels, LargeLineIntegralsGiveSmallFiniteWeights) {
  std::vector<float> weights(2);
  compute_weights(WeightModel::transmission, std::vector<float>{200, 1e30f}, weights);
  EXPECT_EQ(weights, (std::vector<float>{0, 0}));
}

TEST(WeightCheck, AcceptsZerosAmongOthersAndKnowsTheMean) {
  WeightCheck check;
  check.add(std::vector<float>{0, 0, 0});
  check.add(std::vector<float>{3});
  check.finish();
  EXPECT_DOUBLE_EQ(check.mean(), 0.75);
}

TEST(WeightCheck, RefusesNegativeNonFiniteAndAllZeroWeights) {
  for (float const bad : {-1e-6f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    WeightCheck check;
    EXPECT_THROW(check.add(std::vector<float>{1, bad}), InputError) << bad;
  }
  WeightCheck zeros;
  zeros.add(std::vector<float>(10, 0.0f));
  EXPECT_THROW(zeros.finish(), InputError);
  EXPECT_THROW(WeightCheck().finish(), InputError);
}

}  // namespace
}  // namespace strata
