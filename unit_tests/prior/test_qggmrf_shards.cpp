#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "prior/qggmrf.hpp"
#include "prior/qggmrf_kernels.hpp"
#include "unit_tests/prior/sharded_prior.hpp"
#include "unit_tests/reference/qggmrf_reference.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

using testing_prior::all_pixels;
using testing_prior::random_volume;
using testing_prior::Result;
using testing_prior::Volume;
using testing_prior::widen;

std::vector<QGGMRFParams> parameter_sets() {
  return {
      {2, 1.2, 1, 0.1, {}}, {2, 1, 0.7, 0.2, {1, 2, 3}},    {2, 0, 1, 0.3, {}},     {1.8, 1.05, 0.5, 0.03, {1, .5, .2}},
      {2, 2, 1, 0.7, {}},   {1.6, 1.1, 1, 0.1, {.1, 1, 1}}, {1.5, 0.5, 1, 0.2, {}}, {1, 1, 2, 0.1, {0, 1, 0}}};
}

bool same_bits(std::vector<float> const& a, std::vector<float> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Values of [pixel][slice] at `pixels`.
std::vector<double> at_pixels(std::vector<double> const& values, std::vector<int> const& pixels, int num_slices) {
  std::vector<double> out;
  for (int const pixel : pixels)
    for (int slice = 0; slice < num_slices; ++slice) out.push_back(values[Index(pixel) * num_slices + slice]);
  return out;
}

/// A prior's function by voxel, the one GPUs use.
testing_prior::GradientFunction by_voxel(QGGMRFParams const& params) {
  return [potential = QGGMRFPotential(params)](VolumeShard const& volume, PixelList const& pixels, Cylinders const& g,
                                               Cylinders const& h) {
    qggmrf_gradient_by_voxel(ExecSpace(), potential, volume, pixels, g, h);
  };
}

float const poisons[] = {std::numeric_limits<float>::quiet_NaN(), 1e30f, -std::numeric_limits<float>::infinity()};

TEST(QGGMRFShards, ResultIsBitEqualForAnyNumberOfShardsAndAnyPadding) {
  for (int const num_slices : {7, 70, 150}) {
    Volume const x = random_volume({13, 11, num_slices}, 3, 0.3f);
    for (QGGMRFParams const& params : parameter_sets()) {
      auto const prior = make_qggmrf_prior(params);
      Result const whole = testing_prior::gradient(*prior, x, all_pixels(x.shape), 1);
      for (int const num_shards : {1, 2, 3, 5})
        for (float const poison : poisons) {
          Result const cut = testing_prior::gradient(*prior, x, all_pixels(x.shape), num_shards, {poison});

          EXPECT_TRUE(same_bits(cut.gradient, whole.gradient)) << num_slices << " slices, " << num_shards << " shards";
          EXPECT_TRUE(same_bits(cut.curvature, whole.curvature)) << num_slices << " slices, " << num_shards;
          EXPECT_TRUE(cut.padding_is_inert) << num_slices << " slices, " << num_shards << " shards, " << poison;
        }
    }
  }
}

TEST(QGGMRFShards, ShardsMayOwnOneSliceOrNone) {
  for (int const num_slices : {1, 2, 4, 6}) {
    Volume const x = random_volume({4, 5, num_slices}, 4, 0.2f);
    auto const prior = make_qggmrf_prior({2, 1.2, 1, 0.1, {}});
    Result const whole = testing_prior::gradient(*prior, x, all_pixels(x.shape), 1);
    for (int const num_shards : {2, 4, 5, 7}) {
      Result const cut = testing_prior::gradient(*prior, x, all_pixels(x.shape), num_shards, {poisons[0]});

      EXPECT_TRUE(same_bits(cut.gradient, whole.gradient)) << num_slices << " slices, " << num_shards << " shards";
      EXPECT_TRUE(same_bits(cut.curvature, whole.curvature)) << num_slices << " slices, " << num_shards << " shards";
      EXPECT_TRUE(cut.padding_is_inert);
    }
  }
}

TEST(QGGMRFShards, LossPerSliceIsBitEqualForAnyNumberOfShardsAndAnyPadding) {
  for (int const num_slices : {1, 7, 70, 150}) {
    Volume const x = random_volume({13, 11, num_slices}, 5, 0.3f);
    for (QGGMRFParams const& params : parameter_sets()) {
      auto const prior = make_qggmrf_prior(params);
      std::vector<double> const whole = testing_prior::loss_per_slice(*prior, x, 1);
      for (int const num_shards : {1, 2, 3, 5})
        for (float const poison : poisons)
          EXPECT_EQ(testing_prior::loss_per_slice(*prior, x, num_shards, {poison}), whole) << num_shards << " shards";
    }
  }
}

TEST(QGGMRFShards, ResultOfACylinderDoesNotDependOnTheListItIsIn) {
  Volume const x = random_volume({13, 11, 70}, 6, 0.3f);
  auto const prior = make_qggmrf_prior({1.8, 1.1, 1, 0.1, {}});
  std::vector<int> const every = all_pixels(x.shape);
  Result const whole = testing_prior::gradient(*prior, x, every, 1);

  for (std::size_t const begin : {0u, 5u, 100u}) {
    Result const part = testing_prior::gradient(*prior, x, {every.begin() + begin, every.begin() + begin + 19}, 1);

    EXPECT_TRUE(std::equal(part.gradient.begin(), part.gradient.end(), whole.gradient.begin() + begin * 70));
    EXPECT_TRUE(std::equal(part.curvature.begin(), part.curvature.end(), whole.curvature.begin() + begin * 70));
  }
}

TEST(QGGMRFShards, AnEmptyPixelListIsFine) {
  Volume const x = random_volume({3, 4, 20}, 7, 0.3f);

  Result const result = testing_prior::gradient(*make_qggmrf_prior({2, 1.2, 1, 0.1, {}}), x, {}, 2);

  EXPECT_TRUE(result.gradient.empty());
}

TEST(QGGMRFShards, GradientCurvatureAndLossAgreeWithTheOracle) {
  ReconShape const shapes[] = {{5, 4, 150}, {13, 11, 70}, {1, 17, 9}, {17, 1, 33}, {9, 8, 1}, {1, 1, 20}, {1, 1, 1}};
  for (ReconShape const& shape : shapes) {
    Volume const x = random_volume(shape, 8, 0.3f);
    for (QGGMRFParams const& params : parameter_sets()) {
      auto const expected = reference::qggmrf_gradient(params, shape, widen(x.values));
      std::vector<int> const pixels = all_pixels(shape);
      auto const prior = make_qggmrf_prior(params);

      Result const result = testing_prior::gradient(*prior, x, pixels, 2);
      double loss = 0;
      for (double const value : testing_prior::loss_per_slice(*prior, x, 2)) loss += value;

      EXPECT_LE(golden::nrmse(widen(result.gradient), at_pixels(expected.gradient, pixels, shape.num_slices)), 1e-6);
      EXPECT_LE(golden::nrmse(widen(result.curvature), at_pixels(expected.curvature, pixels, shape.num_slices)), 1e-6);
      double const expected_loss = reference::qggmrf_loss(params, shape, widen(x.values));
      EXPECT_NEAR(loss, expected_loss, 1e-6 * expected_loss);
    }
  }
}

TEST(QGGMRFShards, KernelsByVoxelAgreeWithThoseByRow) {
  for (int const num_slices : {1, 7, 70}) {
    Volume const x = random_volume({13, 11, num_slices}, 9, 0.3f);
    for (QGGMRFParams const& params : parameter_sets()) {
      auto const prior = make_qggmrf_prior(params);
      auto const loss_by_voxel = [&](VolumeShard const& volume, Array1<double> const& loss) {
        qggmrf_loss_by_voxel(ExecSpace(), QGGMRFPotential(params), volume, loss);
      };
      Result const rows = testing_prior::gradient(*prior, x, all_pixels(x.shape), 1);
      Result const voxels = testing_prior::gradient(by_voxel(params), x, all_pixels(x.shape), 3, {poisons[0]});

      EXPECT_LE(golden::nrmse(widen(voxels.gradient), widen(rows.gradient)), 1e-6);
      EXPECT_LE(golden::nrmse(widen(voxels.curvature), widen(rows.curvature)), 1e-6);
      EXPECT_TRUE(voxels.padding_is_inert);
      EXPECT_LE(golden::nrmse(testing_prior::loss_per_slice(loss_by_voxel, x, 3, {poisons[0]}),
                              testing_prior::loss_per_slice(*prior, x, 1)),
                1e-6);
    }
  }
}

}  // namespace
}  // namespace strata
