#include "core/solver/denoiser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/solver/checkerboard.hpp"
#include "core/solver/region_mask.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/solver/image_case.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata::test {
namespace {

/// A box in noise.
std::vector<float> noisy_box(ReconShape const& shape, unsigned seed, float noise = 0.1F) {
  auto values = random_values(shape.size(), seed, noise);
  for (int i = shape.num_rows / 4; i < 3 * shape.num_rows / 4; ++i)
    for (int j = shape.num_cols / 3; j < shape.num_cols; ++j)
      for (int k = shape.num_slices / 3; k < shape.num_slices; ++k)
        values[(Index(i) * shape.num_cols + j) * shape.num_slices + k] += 1;
  return values;
}

struct Setting {
  int devices = 1;
  double sigma_noise = 0.1;
  double sigma_x = 0.03;
  bool reference_mode = false;
  int passes = 5;
  float padding = 0;
  bool masked = false;
};

struct Denoised {
  std::vector<float> recon;
  std::vector<IterationStats> history;
  std::vector<double> objective;
};

Denoised denoise(ReconShape const& shape, std::vector<float> const& values, Setting const& setting,
                 QGGMRFParams params = {}) {
  ImageCase const where(shape, setting.devices);
  params.sigma_x = setting.sigma_x;
  auto const prior = make_qggmrf_prior(params);
  auto const image = where.volume(values, setting.padding);
  auto const recon = where.volume(values, setting.padding);
  auto const mask =
      setting.masked ? ellipse_mask(shape.num_rows, shape.num_cols) : full_mask(shape.num_rows, shape.num_cols);
  Denoiser denoiser(
      *prior,
      {.sigma_noise = setting.sigma_noise, .reference_mode = setting.reference_mode, .compute_prior_loss = true}, shape,
      image, recon, denoiser_partition(mask.pixel_indices(), shape, setting.reference_mode, 3));
  Denoised result;
  for (int pass = 0; pass < setting.passes; ++pass) {
    result.history.push_back(denoiser.iterate(pass));
    result.objective.push_back(denoiser.objective(result.history.back()));
  }
  result.recon = where.values(recon);
  return result;
}

double distance(std::vector<float> const& value, std::vector<float> const& expected) {
  return golden::nrmse({value.begin(), value.end()}, {expected.begin(), expected.end()});
}

TEST(Denoiser, GivesTheSameBitsOnAnyNumberOfDevices) {
  ReconShape const shape{13, 11, 5};
  auto const values = noisy_box(shape, 1);
  for (bool const reference : {false, true})
    for (bool const masked : {false, true}) {
      Setting setting{.reference_mode = reference, .masked = masked};
      auto const one = denoise(shape, values, setting);
      float const nan = std::numeric_limits<float>::quiet_NaN();
      struct Run {
        int devices;
        float padding;
      };
      for (auto const [devices, padding] :
           {Run{1, nan}, Run{1, 1e30F}, Run{2, 0}, Run{3, nan}, Run{4, 1e30F}, Run{5, 0}, Run{7, nan}, Run{8, 0}}) {
        SCOPED_TRACE(testing::Message() << devices << " devices, reference " << reference << ", masked " << masked);
        setting.devices = devices;
        setting.padding = padding;
        auto const several = denoise(shape, values, setting);
        EXPECT_EQ(several.recon, one.recon);
        EXPECT_EQ(several.objective, one.objective);
        EXPECT_EQ(several.history.back().pct_change, one.history.back().pct_change);
        EXPECT_EQ(several.history.back().delta_norm_per_slice, one.history.back().delta_norm_per_slice);
      }
    }
}

TEST(Denoiser, GivesTheSameBitsWhenCylindersTakeSeveralBlocks) {
  ReconShape const shape{7, 9, 150};
  auto const values = noisy_box(shape, 2);
  auto const one = denoise(shape, values, {});

  for (int const devices : {2, 3, 7}) EXPECT_EQ(denoise(shape, values, {.devices = devices}).recon, one.recon);
}

TEST(Denoiser, LeavesAVolumeThatIsConstantAlongSlicesConstantAlongSlices) {
  ReconShape const shape{12, 10, 5};
  auto values = random_values(shape.num_pixels(), 5);
  std::vector<float> volume;
  for (float const value : values) volume.insert(volume.end(), shape.num_slices, value);
  for (bool const reference : {false, true})
    for (int const devices : {1, 2, 3, 4, 5}) {
      SCOPED_TRACE(testing::Message() << devices << " devices, reference " << reference);
      auto const result =
          denoise(shape, volume, {.devices = devices, .sigma_noise = 1, .sigma_x = 0.3, .reference_mode = reference});
      for (Index pixel = 0; pixel < shape.num_pixels(); ++pixel)
        for (int slice = 1; slice < shape.num_slices; ++slice)
          ASSERT_EQ(result.recon[pixel * shape.num_slices + slice], result.recon[pixel * shape.num_slices]);
      EXPECT_GT(distance(result.recon, volume), 0.1);  // something was done
    }
}

TEST(Denoiser, NeverRaisesTheObjective) {
  std::mt19937 generator(7);
  auto const draw = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  };
  for (unsigned problem = 0; problem < 50; ++problem) {
    int const least = problem % 4 == 0 ? 3 : 1;  // smaller ellipses hold nothing
    ReconShape const shape{int(draw(least, 12)), int(draw(least, 12)), int(draw(1, 24))};
    double const unit = std::pow(10, draw(-4, 4));
    Setting const setting{.devices = int(draw(1, 4)),
                          .sigma_noise = unit * std::pow(10, draw(-2, 1)),
                          .sigma_x = unit * std::pow(10, draw(-3, 1)),
                          .passes = 12,
                          .masked = problem % 4 == 0};
    QGGMRFParams params;
    params.p = problem % 5 == 0 ? 1.7 : 2;
    params.q = draw(0.8, 1.6);
    params.nbr_wts = {draw(0, 1), draw(0.1, 1), draw(0, 3)};
    auto const values = random_values(shape.size(), problem, float(unit));
    SCOPED_TRACE(testing::Message() << "problem " << problem);

    auto const result = denoise(shape, values, setting, params);

    for (std::size_t pass = 1; pass < result.objective.size(); ++pass)
      EXPECT_LE(result.objective[pass], result.objective[pass - 1] * (1 + 2e-6)) << "pass " << pass;
  }
}

TEST(Denoiser, AndTheReferencesConvergeToTheSameImage) {
  ReconShape const shape{14, 12, 9};
  auto const values = noisy_box(shape, 9);

  auto const ours = denoise(shape, values, {.passes = 150});
  auto const theirs = denoise(shape, values, {.reference_mode = true, .passes = 150});

  EXPECT_LT(distance(ours.recon, theirs.recon), 2e-5);
  EXPECT_NEAR(ours.objective.back(), theirs.objective.back(), 1e-5 * ours.objective.back());
}

TEST(Denoiser, DoesNotDependOnTheUnitOfTheImage) {
  ReconShape const shape{14, 12, 9};
  auto const values = noisy_box(shape, 10);
  auto scaled = values;
  for (float& value : scaled) value *= 1024;

  auto const base = denoise(shape, values, {});
  auto const large = denoise(shape, scaled, {.sigma_noise = 0.1 * 1024, .sigma_x = 0.03 * 1024});

  auto expected = base.recon;
  for (float& value : expected) value *= 1024;
  EXPECT_LT(distance(large.recon, expected), 1e-5);
}

TEST(Denoiser, TakesMostOfTheNoiseOffABox) {
  ReconShape const shape{24, 24, 12};
  auto const clean = noisy_box(shape, 11, 0);
  auto const noisy = noisy_box(shape, 11);

  auto const result = denoise(shape, noisy, {.sigma_x = 0.02, .passes = 15});

  EXPECT_LT(distance(result.recon, clean), 0.4 * distance(noisy, clean));
}

TEST(Denoiser, LeavesPixelsOutsideTheRegionAlone) {
  ReconShape const shape{15, 15, 4};
  auto const values = noisy_box(shape, 12);
  auto const mask = ellipse_mask(shape.num_rows, shape.num_cols);

  auto const result = denoise(shape, values, {.masked = true});

  int changed = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (!mask.inside[n / 4])
      ASSERT_EQ(result.recon[n], values[n]);
    else
      changed += result.recon[n] != values[n];
  }
  EXPECT_GT(changed, 500);
}

TEST(Denoiser, RefusesANoiseOfZero) {
  ImageCase const where({3, 3, 3}, 1);
  auto const image = where.volume(random_values(27, 1));
  auto const prior = make_qggmrf_prior({.sigma_x = 1, .nbr_wts = {}});
  EXPECT_THROW(Denoiser(*prior, {.sigma_noise = 0}, where.shape, image, image,
                        checkerboard_partition({0, 1, 2, 3, 4, 5, 6, 7, 8}, 3, 4)),
               InputError);
}

TEST(CheckerboardPartition, VisitsEachPixelOnceAfterAllItsWhiteNeighbours) {
  int const cols = 7;
  std::vector<int> pixels;
  for (int p = 0; p < 11 * cols; ++p)
    if (p % 5 != 2) pixels.push_back(p);
  for (int const size : {1, 7, 10, 1000}) {
    SCOPED_TRACE(size);
    auto const partition = checkerboard_partition(pixels, cols, size);

    std::vector<int> visit(11 * cols, -1);
    int subset_number = 0, count = 0;
    for (auto const& subset : partition.subsets) {
      for (int const pixel : subset) visit[pixel] = subset_number;
      count += int(subset.size());
      ++subset_number;
    }
    EXPECT_EQ(count, int(pixels.size()));
    for (int const pixel : pixels) {
      int const row = pixel / cols, col = pixel % cols;
      ASSERT_GE(visit[pixel], 0);
      bool const black = (row + col) % 2 == 1;
      if (!black) continue;
      for (int const other : {row > 0 ? pixel - cols : -1, row < 10 ? pixel + cols : -1, col > 0 ? pixel - 1 : -1,
                              col < cols - 1 ? pixel + 1 : -1})
        EXPECT_LT(other >= 0 ? visit[other] : -1, visit[pixel]);
    }
  }
}

}  // namespace
}  // namespace strata::test
