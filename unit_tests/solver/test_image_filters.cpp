#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/solver/median_filter.hpp"
#include "core/solver/noise_estimate.hpp"
#include "core/solver/resample_image.hpp"
#include "unit_tests/solver/image_case.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata::test {
namespace {

std::vector<float> filtered(ReconShape const& shape, std::vector<float> const& values, int devices, float padding = 0) {
  ImageCase const where(shape, devices);
  auto const output = where.volume(values, padding);
  median_filter(where.volume(values, padding), shape, output);
  return where.values(output);
}

/// Sorting, voxel by voxel.
std::vector<float> sorted_medians(ReconShape const& shape, std::vector<float> const& values) {
  std::vector<float> result;
  auto const at = [&](int i, int j, int k) {
    i = std::clamp(i, 0, shape.num_rows - 1);
    j = std::clamp(j, 0, shape.num_cols - 1);
    k = std::clamp(k, 0, shape.num_slices - 1);
    return values[(Index(i) * shape.num_cols + j) * shape.num_slices + k];
  };
  for (int i = 0; i < shape.num_rows; ++i)
    for (int j = 0; j < shape.num_cols; ++j)
      for (int k = 0; k < shape.num_slices; ++k) {
        std::vector<float> around;
        for (int n = 0; n < 27; ++n) around.push_back(at(i + n / 9 - 1, j + n / 3 % 3 - 1, k + n % 3 - 1));
        std::ranges::sort(around);
        result.push_back(around[13]);
      }
  return result;
}

TEST(MedianFilter, GivesTheValuesOfTheReference) {
  auto const image = golden::read("preprocess.h5", "median_filter/image");
  auto const expected = golden::read("preprocess.h5", "median_filter/filtered");
  ReconShape const shape{int(image.shape[0]), int(image.shape[1]), int(image.shape[2])};

  auto const result = filtered(shape, {image.values.begin(), image.values.end()}, 1);

  EXPECT_EQ(result, std::vector<float>(expected.values.begin(), expected.values.end()));
}

TEST(MedianFilter, IsTheMiddleOfTheSortedValuesOnAnyNumberOfDevices) {
  for (ReconShape const shape :
       {ReconShape{6, 5, 7}, ReconShape{3, 4, 140}, ReconShape{1, 1, 9}, ReconShape{4, 1, 1}}) {
    auto const values = random_values(shape.size(), 3);
    auto const expected = sorted_medians(shape, values);
    for (int const devices : {1, 2, 3, 5, 7})
      EXPECT_EQ(filtered(shape, values, devices, std::numeric_limits<float>::quiet_NaN()), expected)
          << shape.num_slices << " slices, " << devices << " devices";
  }
}

std::vector<float> resampled(ReconShape const& from, std::vector<float> const& values, ReconShape const& to,
                             int devices = 1) {
  ImageCase const where(to, devices);
  auto const target = where.volume(std::vector<float>(std::size_t(to.size())));
  resample_image(rows_of(values, from), same_extent(from, to), to, target);
  return where.values(target);
}

TEST(ResampleImage, LeavesTheSameGridAlone) {
  ReconShape const shape{5, 7, 6};
  auto const values = random_values(shape.size(), 4);
  EXPECT_EQ(resampled(shape, values, shape), values);
}

TEST(ResampleImage, KeepsConstantImagesOnAnyGrid) {
  ReconShape const shape{5, 7, 6};
  std::vector<float> const values(std::size_t(shape.size()), 3);
  for (ReconShape const to : {ReconShape{10, 14, 12}, ReconShape{3, 3, 3}, ReconShape{1, 15, 4}, ReconShape{11, 2, 7}})
    for (float const value : resampled(shape, values, to)) ASSERT_NEAR(value, 3, 1e-5);
}

TEST(ResampleImage, OfACoarserGridInterpolatesLinearly) {
  ReconShape const from{6, 5, 4}, to{12, 10, 12};
  std::vector<float> values;
  auto const ramp = [](double i, double j, double k) { return 2 * i - 3 * j + 0.5 * k; };
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 4; ++k) values.push_back(float(ramp(i, j, k)));

  auto const result = resampled(from, values, to);

  for (int i = 1; i < 11; ++i)
    for (int j = 1; j < 9; ++j)
      for (int k = 1; k < 11; ++k)  // beyond the outermost centres the end values go on
        EXPECT_NEAR(result[(i * 10 + j) * 12 + k], ramp((i - 0.5) / 2, (j - 0.5) / 2, (k - 1) / 3.0), 1e-4);
}

TEST(ResampleImage, OfAFinerGridAveragesWhatAVoxelCovers) {
  ReconShape const from{4, 6, 6}, to{2, 3, 2};
  auto const values = random_values(from.size(), 6);

  auto const result = resampled(from, values, to);

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k) {
        double sum = 0;
        for (int n = 0; n < 12; ++n) sum += values[((2 * i + n / 6) * 6 + 2 * j + n / 3 % 2) * 6 + 3 * k + n % 3];
        EXPECT_NEAR(result[(i * 3 + j) * 2 + k], sum / 12, 1e-6);
      }
}

TEST(ResampleImage, KeepsTheMeanWhenVoxelsAreCutUnevenly) {
  ReconShape const from{1, 1, 7}, to{1, 1, 3};
  auto const values = random_values(from.size(), 7);

  auto const result = resampled(from, values, to);

  double sum = 0, expected = 0;
  for (float const value : result) sum += value / 3;
  for (float const value : values) expected += value / 7;
  EXPECT_NEAR(sum, expected, 1e-6);
}

TEST(ResampleImage, GivesTheSameBitsOnAnyNumberOfDevices) {
  ReconShape const from{5, 7, 6}, to{8, 4, 9};
  auto const values = random_values(from.size(), 8);
  auto const one = resampled(from, values, to);
  for (int const devices : {2, 4, 11}) EXPECT_EQ(resampled(from, values, to, devices), one);
}

TEST(EstimateNoise, IsCloseToTheDeviationOfWhiteNoise) {
  ReconShape const shape{40, 40, 40};
  auto const values = random_values(shape.size(), 9, 2, 10);

  double const noise = estimate_noise(rows_of(values, shape));

  // The mean deviation of four values is 0.798 of the deviation of all.
  EXPECT_NEAR(noise, 0.798 * 2, 0.03);
}

TEST(StridedSample, TakesEveryNthVoxelOfEachAxis) {
  ReconShape const shape{5, 4, 7};
  auto const values = random_values(shape.size(), 10);

  auto const sample = strided_sample(rows_of(values, shape), 2);

  EXPECT_EQ(sample.shape, (ReconShape{3, 2, 4}));
  EXPECT_EQ(sample.values[(2 * 2 + 1) * 4 + 3], values[(4 * 4 + 2) * 7 + 6]);
}

}  // namespace
}  // namespace strata::test
