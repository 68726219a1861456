/// Volumes of few slices before few detector rows, which have kernels of their own, and projections that are kept.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "unit_tests/geometries/test_separable_run.hpp"
#include "unit_tests/reference/separable_reference.hpp"

namespace strata {
namespace {

using namespace testing_support;

constexpr int num_views = 7;

template <class Params>
Params few_rows(int rows, int slices, double delta_voxel) {
  Params p;
  p.sinogram = {num_views, rows, 31};
  p.recon = {12, 14, slices};
  p.det_channel_offset = 0.3;
  p.det_row_offset = -0.4;
  p.delta_voxel = delta_voxel;
  p.recon_slice_offset = 0.2;
  return p;
}

ConeBeamParams cone(int rows, int slices, double delta_voxel, bool curved = false) {
  auto p = few_rows<ConeBeamParams>(rows, slices, delta_voxel);
  p.source_detector_dist = 60;
  p.source_iso_dist = 30;
  p.curved = curved;
  for (int v = 0; v < num_views; ++v) {
    p.angles.push_back(0.1 + 2 * std::numbers::pi * v / num_views);
    p.z_shifts.push_back(0.4 * (v - 3));
  }
  return p;
}

TranslationParams translation(int rows, int slices, double delta_voxel) {
  auto p = few_rows<TranslationParams>(rows, slices, delta_voxel);
  p.source_detector_dist = 60;
  p.source_iso_dist = 30;
  for (int v = 0; v < num_views; ++v) p.translation_vectors.push_back({0.7 * (v % 3 - 1), 0.2 * v, 0.5 * (v - 3)});
  return p;
}

MultiAxisParams multiaxis(int rows, int slices, double delta_voxel) {
  auto p = few_rows<MultiAxisParams>(rows, slices, delta_voxel);
  for (int v = 0; v < num_views; ++v) {
    p.azimuths.push_back(0.1 + 2 * std::numbers::pi * v / num_views);
    p.elevations.push_back(0.2 * (v - 3));
  }
  p.elevations[0] = 2.8;  // slices in the other order
  p.elevations[1] = 1.2;
  return p;
}

template <class Params>
void expect_reference(KernelChoice kernels, Params const& params) {
  auto const pixels = pixels_of(params.recon, 1);
  SeparableRun const one(params, pixels, kernels), three(params, pixels, kernels, 3);
  Values const x = random_values(Index(pixels.size()) * params.recon.num_slices, 1);
  Values const y = random_values(params.sinogram.size(), 2);
  Values w = y;
  for (auto& value : w) value = std::abs(value);

  Values const forward = one.forward(x), back = one.back(y), squares = one.back(w, 2);

  EXPECT_LE(max_relative(forward, reference::forward_project(params, pixels, in_double(x))), 3e-6);
  EXPECT_LE(max_relative(back, reference::back_project(params, pixels, in_double(y), 1)), 3e-6);
  EXPECT_LE(max_relative(squares, reference::back_project(params, pixels, in_double(w), 2)), 3e-6);
  EXPECT_EQ(three.forward(x), forward);
  EXPECT_EQ(three.back(y), back);
}

using SeparableThinKernels = WithKernels;
INSTANTIATE_TEST_SUITE_P(Kernels, SeparableThinKernels, all_kernels(), name_of_kernels);

TEST_P(SeparableThinKernels, FewSlicesAndRowsAgreeWithPlainLoopsOnAnyNumberOfDevices) {
  for (auto const& [rows, slices] : {std::pair{1, 1}, {5, 5}, {16, 16}, {16, 3}, {2, 16}, {17, 5}, {5, 17}})
    for (double const voxel : {0.3, 0.45, 0.8, 1.4}) {  // one to four taps
      SCOPED_TRACE(testing::Message() << rows << " rows, " << slices << " slices, voxels of " << voxel);
      expect_reference(GetParam(), cone(rows, slices, voxel));
      expect_reference(GetParam(), translation(rows, slices, voxel));
      expect_reference(GetParam(), multiaxis(rows, slices, 2 * voxel));
    }
  expect_reference(GetParam(), cone(5, 5, 0.45, true));
}

TEST_P(SeparableThinKernels, ABrokenDetectorCellReachesOnlyTheVoxelsThatItSees) {
  auto const params = cone(5, 5, 0.45);
  auto const pixels = pixels_of(params.recon, 1);
  SeparableRun const run(params, pixels, GetParam());
  Values y(params.sinogram.size(), 1);
  Index const row = 2, channel = 15, view = 0;
  y[(view * params.sinogram.num_det_rows + row) * params.sinogram.num_det_channels + channel] =
      std::numeric_limits<Real>::quiet_NaN();

  Values const back = run.back(y);

  int lost = 0;
  for (Real const value : back) lost += std::isnan(value) ? 1 : 0;
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, static_cast<int>(back.size()) / 3);
}

/// Steps along a direction that curvature() was called for, and that it was not.
template <class Params>
void expect_same_step(Params const& params, int pixel_step) {
  auto const pixels = pixels_of(params.recon, pixel_step);
  Values const x = random_values(Index(pixels.size()) * params.recon.num_slices, 1);
  Values const y = random_values(params.sinogram.size(), 2);
  for (int const devices : {1, 3})
    for (bool const fused : {false, true}) {
      SeparableRun const run(params, pixels, devices);
      EXPECT_EQ(run.descend(x, 0.5F, y, y, fused, true), run.descend(x, 0.5F, y, y, fused, false));
      EXPECT_EQ(run.descend(x, 0.5F, {}, y, fused, true), run.descend(x, 0.5F, {}, y, fused, false));
    }
}

TEST(SeparableThin, StepsAlongMeasuredDirectionsGiveTheSameBits) {
  for (int const pixel_step : {1, 5, 25}) {  // of 8 pixels and more the projection is kept
    expect_same_step(cone(5, 5, 0.45), pixel_step);
    expect_same_step(cone(19, 23, 0.45), pixel_step);
    expect_same_step(multiaxis(19, 23, 0.8), pixel_step);
  }
}

TEST(SeparableThin, StepsAlongMeasuredDirectionsGiveTheSameBitsWhereTheProjectionIsWrittenPastTheCaches) {
  ConeBeamParams params = cone(1000, 23, 0.45);  // 4.5 MB in all, on three devices less
  params.sinogram.num_det_channels = 160;
  expect_same_step(params, 5);
}

TEST(SeparableThin, StepsSubtractTheProjectionAlsoOfPixelsBesideTheDetector) {
  for (int const num_channels : {4, 9}) {
    ConeBeamParams params = cone(19, 23, 0.45);
    params.sinogram.num_det_channels = num_channels;
    auto const pixels = pixels_of(params.recon, 1);
    SeparableRun const run(params, pixels);
    Values const x = random_values(Index(pixels.size()) * params.recon.num_slices, 1);
    Values const w = random_values(params.sinogram.size(), 2), error = random_values(params.sinogram.size(), 3);
    Values const projection = run.forward(x);

    for (bool const measured : {false, true}) {
      Values const left = run.descend(x, 0.5F, w, error, false, measured).first;

      for (std::size_t i = 0; i < left.size(); ++i)
        ASSERT_NEAR(left[i], error[i] - 0.5F * w[i] * projection[i], 1e-6F * (1 + std::abs(projection[i])));
    }
  }
}

}  // namespace
}  // namespace strata
