// The formula for how alike projections of neighbouring pixels are, against projections of single pixels.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "geometries/parallel_scan.hpp"
#include "geometries/pixel_correlations.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

struct PixelScan {
  double degrees, voxel, aspect;
};

constexpr int places = 48;
constexpr int pixels = 4;

std::vector<double> angles_of(PixelScan const& scan) {
  std::vector<double> angles;
  int const views = 60;
  for (int v = 0; v < views; ++v) angles.push_back((0.3 + scan.degrees * v / views) * std::numbers::pi / 180);
  return angles;
}

GeometryParams params_of(PixelScan const& scan) {
  GeometryParams params;
  params.delta_voxel = scan.voxel;
  params.voxel_row_aspect = scan.aspect;
  params.delta_det_channel = 1;
  params.det_channel_offset = 0.13;
  params.recon = {24, 24, places * pixels};
  double const diagonal = std::hypot(24.0, 24.0 * scan.aspect) * scan.voxel;
  params.sinogram = {60, places * pixels, static_cast<int>(diagonal) + 4};
  return params;
}

/// Means over random places of a_i.a_j / (|a_i| |a_j|) of the pixels of a cell, number 2 row + col. A slice holds one
/// pixel, its detector row is what that pixel projects to.
std::array<std::array<double, pixels>, pixels> measured(PixelScan const& scan) {
  auto const params = params_of(scan);
  TomographyModel const model(DeviceSet::virtual_devices(1), make_parallel_scan(params, angles_of(scan)),
                              std::vector<bool>(24 * 24, true));
  std::vector<float> image(static_cast<std::size_t>(params.recon.size()));
  std::mt19937 random(5);
  for (int place = 0; place < places; ++place) {
    int const row = static_cast<int>(random() % 23), col = static_cast<int>(random() % 23);
    for (int i = 0; i < pixels; ++i)
      image[static_cast<std::size_t>(((row + i / 2) * 24 + col + i % 2) * places * pixels + place * pixels + i)] = 1;
  }
  auto const x = model.make_volume("test::x");
  auto const y = model.make_sinogram("test::y");
  from_host(model, image, x);
  model.forward_project(x, y);
  auto const values = to_host(model, y);
  auto const channels = static_cast<std::size_t>(params.sinogram.num_det_channels);
  auto const product = [&](int a, int b) {
    double sum = 0;
    for (std::size_t v = 0; v < 60; ++v)
      for (std::size_t n = 0; n < channels; ++n)
        sum +=
            double(values[(v * places * pixels + a) * channels + n]) * values[(v * places * pixels + b) * channels + n];
    return sum;
  };
  std::array<std::array<double, pixels>, pixels> mean{};
  for (int i = 0; i < pixels; ++i)
    for (int j = 0; j < pixels; ++j)
      for (int place = 0; place < places; ++place) {
        int const a = place * pixels + i, b = place * pixels + j;
        mean[i][j] += product(a, b) / std::sqrt(product(a, a) * product(b, b)) / places;
      }
  return mean;
}

std::vector<PixelScan> scans() {
  std::vector<PixelScan> all;
  for (double const degrees : {180.0, 120.0})
    for (double const voxel : {0.5, 1.0, 2.3})
      for (double const aspect : {1.0, 2.0}) all.push_back({degrees, voxel, aspect});
  return all;
}

testing::Message words(PixelScan const& scan) {
  return testing::Message() << scan.degrees << " degrees, voxels of " << scan.voxel << " channels, aspect "
                            << scan.aspect;
}

TEST(PixelCorrelations, AreThoseOfProjectedPixelsOfParallelScans) {
  for (PixelScan const& scan : scans()) {
    SCOPED_TRACE(words(scan));
    auto const rho = parallel_pixel_correlations(params_of(scan), angles_of(scan));
    auto const mean = measured(scan);

    EXPECT_NEAR(rho.next_row, (mean[0][2] + mean[1][3]) / 2, 0.02);
    EXPECT_NEAR(rho.next_col, (mean[0][1] + mean[2][3]) / 2, 0.02);
    EXPECT_NEAR(rho.diagonal, mean[0][3], 0.02);
    EXPECT_NEAR(rho.antidiagonal, mean[1][2], 0.02);
  }
}

/// Cholesky's factors exist, so that a cell's quadratic has a minimum.
TEST(PixelCorrelations, MakeAPositiveDefiniteMatrix) {
  for (double const degrees : {180.0, 120.0, 60.0, 10.0})
    for (double const voxel : {0.1, 0.5, 1.0, 2.3, 10.0})
      for (double const aspect : {0.5, 1.0, 2.0}) {
        PixelScan const scan{degrees, voxel, aspect};
        SCOPED_TRACE(words(scan));
        auto const rho = parallel_pixel_correlations(params_of(scan), angles_of(scan));
        double l[4][4] = {{1, rho.next_col, rho.next_row, rho.diagonal},
                          {rho.next_col, 1, rho.antidiagonal, rho.next_row},
                          {rho.next_row, rho.antidiagonal, 1, rho.next_col},
                          {rho.diagonal, rho.next_row, rho.next_col, 1}};
        for (int k = 0; k < 4; ++k) {
          ASSERT_GT(l[k][k], 0) << k;
          for (int i = k + 1; i < 4; ++i)
            for (int j = k + 1; j < 4; ++j) l[i][j] -= l[i][k] * l[k][j] / l[k][k];
        }
      }
}

TEST(PixelCorrelations, GrowWithChannelsThatBlurPixelsTogether) {
  double last = 1;
  for (double const voxel : {0.1, 0.5, 1.0, 2.3, 10.0}) {
    PixelScan const scan{180, voxel, 1};
    auto const rho = parallel_pixel_correlations(params_of(scan), angles_of(scan));
    EXPECT_LT(rho.next_row, last);
    EXPECT_NEAR(rho.next_row, rho.next_col, 0.01);
    EXPECT_NEAR(rho.diagonal, rho.antidiagonal, 0.01);
    EXPECT_LT(rho.diagonal, rho.next_row);
    EXPECT_GT(rho.diagonal, 0);
    last = rho.next_row;
  }
}

}  // namespace
}  // namespace strata::test
