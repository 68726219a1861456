#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/solver/regularisation.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

std::string const file = "regularisation.h5";

/// The sampled views of [view][..] data.
std::vector<float> sample(golden::Array const& array) {
  std::vector<float> sampled;
  Index const size = array.shape[1] * array.shape[2];
  for (int const view : regularisation_views(static_cast<int>(array.shape[0])))
    sampled.insert(sampled.end(), array.values.begin() + view * size, array.values.begin() + (view + 1) * size);
  return sampled;
}

class GoldenRegularisation : public testing::TestWithParam<std::string> {};

TEST_P(GoldenRegularisation, ReproducesTheReference) {
  std::string const& group = GetParam();
  auto const parameter = [&](char const* name) { return golden::attribute(file, group + "/parameters", name); };
  golden::Array const sinogram = golden::read(file, group + "/sinogram");
  std::vector<float> const sampled = sample(sinogram);
  std::vector<float> weights;
  if (golden::exists(file, group + "/weights")) weights = sample(golden::read(file, group + "/weights"));
  auto const shape = parameter("recon_shape");

  RegularisationInput input;
  input.sinogram = sampled;
  input.weights = weights;
  input.shape = {static_cast<int>(regularisation_views(static_cast<int>(sinogram.shape[0])).size()),
                 static_cast<int>(sinogram.shape[1]), static_cast<int>(sinogram.shape[2])};
  input.recon_shape = {static_cast<int>(shape[0]), static_cast<int>(shape[1]), static_cast<int>(shape[2])};
  input.delta_voxel = parameter("delta_voxel").at(0);
  input.delta_voxel_row = input.delta_voxel * parameter("voxel_row_aspect").at(0);
  input.delta_det_channel = parameter("delta_det_channel").at(0);
  input.magnification = golden::attribute(file, group + "/parameters/derived", "magnification").at(0);
  input.snr_db = parameter("snr_db").at(0);
  input.sharpness = parameter("sharpness").at(0);
  input.translation = golden::text_attribute(file, group + "/parameters", "geometry") == "translation";
  Regularisation const result = automatic_regularisation(input);

  for (auto const& [name, value] : {std::pair{"sigma_y", result.sigma_y}, std::pair{"sigma_x", result.sigma_x},
                                    std::pair{"sigma_prox", result.sigma_prox}}) {
    double const expected = golden::attribute(file, group, name).at(0);
    EXPECT_NEAR(value, expected, 1e-6 * expected) << name;
  }
  std::vector<double> indicator;
  for (float const s : sampled) indicator.push_back(result.support.contains(s));
  EXPECT_EQ(indicator, golden::read(file, group + "/support_indicator").values);
}

INSTANTIATE_TEST_SUITE_P(Regularisation, GoldenRegularisation,
                         testing::Values("cone_default", "cone_weights", "multiaxis_default", "negative_only",
                                         "no_background", "parallel_default", "parallel_many_views",
                                         "parallel_sharp_snr", "parallel_weights", "translation_default"));

TEST(RegularisationViews, AreAtMostThirtyNineFromTheStart) {
  EXPECT_EQ(regularisation_views(3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(regularisation_views(39).size(), 39u);
  EXPECT_EQ(regularisation_views(40),
            (std::vector<int>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38}));
  EXPECT_EQ(regularisation_views(1000).size(), 20u);
  EXPECT_THROW(regularisation_views(0), InputError);
}

/// A box of line integrals 2 on a background of 0, in rows of 32 channels.
RegularisationInput box_input(std::vector<float>& values, int first, int last) {
  RegularisationInput input;
  input.shape = {4, 3, 32};
  input.recon_shape = {32, 32, 3};
  values.assign(4 * 3 * 32, 0.0f);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (static_cast<int>(i % 32) >= first && static_cast<int>(i % 32) <= last) values[i] = 2;
  input.sinogram = values;
  return input;
}

TEST(Regularisation, SaysWhenTheObjectReachesTheEdgeOfTheDetector) {
  std::vector<float> values;
  Regularisation const inside = automatic_regularisation(box_input(values, 5, 20));
  EXPECT_FALSE(inside.laterally_truncated);
  EXPECT_EQ(inside.touching_fraction, 0);

  RegularisationInput input = box_input(values, 5, 31);
  EXPECT_TRUE(automatic_regularisation(input).laterally_truncated);
  EXPECT_EQ(automatic_regularisation(input).touching_fraction, 1);
  input.translation = true;
  EXPECT_FALSE(automatic_regularisation(input).laterally_truncated);
}

TEST(Regularisation, OfABoxIsWhatTheFormulaSays) {
  std::vector<float> values;
  RegularisationInput input = box_input(values, 5, 20);
  Regularisation const result = automatic_regularisation(input);
  EXPECT_NEAR(result.sigma_y, std::pow(10, -1.5) * 2, 1e-12);
  EXPECT_NEAR(result.sigma_x, 0.4 * 2 / 32, 1e-12);
  EXPECT_EQ(result.sigma_prox, result.sigma_x);
}

TEST(Regularisation, MedianOfTheObjectTakesBothMiddleValues) {
  std::vector<float> values(96, 0.0f);
  values[0] = 1;
  values[1] = 2;
  values[2] = 4;
  values[3] = 8;
  EXPECT_DOUBLE_EQ(support_of(values).threshold, 0.25 * 3);
  values[4] = 3;
  EXPECT_DOUBLE_EQ(support_of(values).threshold, 0.25 * 3);
  values[4] = 16;
  EXPECT_DOUBLE_EQ(support_of(values).threshold, 0.25 * 4);
}

TEST(Regularisation, BackgroundPeakMayHaveAFlatTop) {
  // 400 bins of 0.01: 5, 100, 100 values in the first three, 10 in the middle, 1 at the end.
  std::vector<float> values(5, 0.0f);
  values.insert(values.end(), 100, 0.015f);
  values.insert(values.end(), 100, 0.025f);
  values.insert(values.end(), 10, 2.005f);
  values.push_back(4);
  Background const background = background_of(values);
  EXPECT_NEAR(background.left, 0.005, 1e-9);
  EXPECT_NEAR(background.right, 0.035, 1e-9);
}

TEST(Regularisation, RefusesValuesThatAreNotFinite) {
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> values;
    RegularisationInput const input = box_input(values, 5, 20);
    values[50] = bad;
    EXPECT_THROW(automatic_regularisation(input), InputError);
  }
}

TEST(Regularisation, RefusesASinogramOrWeightsOfZeros) {
  std::vector<float> values;
  RegularisationInput input = box_input(values, 40, 40);
  EXPECT_THROW(automatic_regularisation(input), InputError);
  input = box_input(values, 5, 20);
  std::vector<float> const weights(values.size(), 0.0f);
  input.weights = weights;
  EXPECT_THROW(automatic_regularisation(input), InputError);
}

}  // namespace
}  // namespace strata
