/// Projectors that couple slices against plain loops in double, and what they promise beyond values.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.hpp"

#include "unit_tests/geometries/test_separable_run.hpp"
#include "unit_tests/reference/separable_reference.hpp"
#include "unit_tests/support/tool_watch.hpp"

namespace strata {
namespace {

using namespace testing_support;

constexpr double infinity = std::numeric_limits<double>::infinity();

void set_common(SeparableScanParams& p) {
  p.sinogram = {13, 21, 27};
  p.recon = {17, 19, 23};
  p.delta_det_channel = 1.1;
  p.delta_det_row = 0.9;
  p.det_channel_offset = -0.7;
  p.det_row_offset = 0.4;
  p.delta_voxel = 0.6;
  p.voxel_row_aspect = 1.2;
  p.voxel_slice_aspect = 0.8;
  p.recon_slice_offset = 0.3;
}

ConeBeamParams cone(bool curved = false, bool helical = false) {
  ConeBeamParams p;
  set_common(p);
  p.source_detector_dist = 60;
  p.source_iso_dist = 33;
  p.curved = curved;
  for (int v = 0; v < 13; ++v) {
    p.angles.push_back(0.1 + 2 * std::numbers::pi * v / 13);
    if (helical) p.z_shifts.push_back(1.3 * (v - 6));
  }
  return p;
}

ConeBeamParams from_infinity() {
  ConeBeamParams p = cone(true);
  p.source_detector_dist = p.source_iso_dist = infinity;
  p.delta_voxel = 0.9;
  return p;
}

TranslationParams translation() {
  TranslationParams p;
  set_common(p);
  p.source_detector_dist = 60;
  p.source_iso_dist = 33;
  for (int v = 0; v < 13; ++v)
    p.translation_vectors.push_back({0.7 * (v % 4 - 1.5), 0.3 * (v % 3 - 1), 0.9 * (v / 4 - 1.5)});
  return p;
}

MultiAxisParams multiaxis() {
  MultiAxisParams p;
  set_common(p);
  p.delta_voxel = 1;
  for (int v = 0; v < 13; ++v) {
    p.azimuths.push_back(0.1 + 2 * std::numbers::pi * v / 13);
    p.elevations.push_back(0.25 * (v - 6));  // up to 86 degrees
  }
  p.elevations[3] = std::numbers::pi / 2;
  p.elevations[4] = 2.2;  // from behind
  return p;
}

Values magnitudes(Values values) {
  for (auto& v : values) v = std::abs(v);
  return values;
}

template <class Params>
void expect_reference(KernelChoice kernels, Params const& params, char const* name, int step = 1) {
  SCOPED_TRACE(name);
  auto const pixels = pixels_of(params.recon, step);
  SeparableRun const run(params, pixels, kernels);
  Values const x = random_values(Index(pixels.size()) * params.recon.num_slices, 1);
  Values const y = random_values(params.sinogram.size(), 2), w = magnitudes(y);

  EXPECT_LE(max_relative(run.forward(x), reference::forward_project(params, pixels, in_double(x))), 3e-6);
  EXPECT_LE(max_relative(run.back(y), reference::back_project(params, pixels, in_double(y), 1)), 3e-6);
  EXPECT_LE(max_relative(run.back(w, 2), reference::back_project(params, pixels, in_double(w), 2)), 3e-6);
}

using SeparableKernels = WithKernels;
INSTANTIATE_TEST_SUITE_P(Kernels, SeparableKernels, all_kernels(), name_of_kernels);

TEST_P(SeparableKernels, AgreesWithPlainLoops) {
  expect_reference(GetParam(), cone(), "cone");
  expect_reference(GetParam(), cone(true), "curved");
  expect_reference(GetParam(), cone(false, true), "helical");
  expect_reference(GetParam(), cone(true, true), "curved helical");
  expect_reference(GetParam(), from_infinity(), "from infinity");
  expect_reference(GetParam(), translation(), "translation");
  expect_reference(GetParam(), multiaxis(), "multi-axis");
}

TEST_P(SeparableKernels, AgreesWithPlainLoopsForWideConesAndAnyVoxelSize) {
  for (double const size : {0.15, 0.3, 1.2, 2.4}) {
    ConeBeamParams p = cone(size > 1);
    p.delta_voxel = size;
    p.source_detector_dist = 36;
    p.source_iso_dist = 30;
    if (size > 1) p.recon = {10, 9, 7};
    expect_reference(GetParam(), p, "cone");
    MultiAxisParams m = multiaxis();
    m.delta_voxel = 2 * size;
    expect_reference(GetParam(), m, "multi-axis");
  }
}

TEST_P(SeparableKernels, PlacesRowsOfTallDetectorsExactly) {
  ConeBeamParams p = cone();
  p.sinogram = {13, 700, 9};
  p.recon = {5, 5, 800};
  p.source_detector_dist = 900;
  p.source_iso_dist = 500;
  p.det_row_offset = 3.37;
  expect_reference(GetParam(), p, "tall");
  TranslationParams t = translation();
  t.sinogram = {13, 300, 9};
  t.recon = {4, 6, 411};
  expect_reference(GetParam(), t, "tall translation");
  p.sinogram = {13, 5, 2000};
  p.recon = {5, 600, 5};
  p.source_detector_dist = 3000;
  p.source_iso_dist = 1500;
  expect_reference(GetParam(), p, "wide", 7);
}

/// A random geometry of any kind.
SeparableScan random_scan(std::mt19937& random) {
  auto const between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  auto const size = [&] { return static_cast<int>(between(1, 41)); };
  auto const fill = [&](SeparableScanParams& p, int views) {
    p.sinogram = {views, size(), size()};
    p.recon = {1 + size() / 3, 1 + size() / 3, size()};
    p.delta_det_channel = between(0.5, 2);
    p.delta_det_row = between(0.5, 2);
    p.det_channel_offset = between(-3, 3);
    p.det_row_offset = between(-3, 3);
    p.voxel_row_aspect = between(0.5, 2);
    p.voxel_slice_aspect = between(0.5, 2);
    p.recon_slice_offset = between(-3, 3);
  };
  int const views = static_cast<int>(between(1, 6)), kind = static_cast<int>(between(0, 4));
  double const ratio = std::exp(between(std::log(0.25), std::log(4.0)));
  double const magnification = std::exp(between(std::log(1.05), std::log(50.0)));
  if (kind == 3) {
    MultiAxisParams p;
    fill(p, views);
    p.delta_voxel = ratio;
    for (int v = 0; v < views; ++v) {
      p.azimuths.push_back(between(-4, 4));
      p.elevations.push_back(between(-1.6, 1.6));
    }
    return p;
  }
  auto const set_source = [&](auto& p, double half_width) {
    p.delta_voxel = ratio / magnification;
    p.source_iso_dist = half_width * between(1.3, 6);
    p.source_detector_dist = magnification * p.source_iso_dist;
  };
  if (kind == 2) {
    TranslationParams p;
    fill(p, views);
    double const half_width = 0.5 * p.recon.num_rows * p.voxel_row_aspect * ratio / magnification;
    set_source(p, half_width);
    for (int v = 0; v < views; ++v)
      p.translation_vectors.push_back(
          {between(-1, 1) * half_width, between(-0.2, 0.2) * half_width, between(-1, 1) * half_width});
    return p;
  }
  ConeBeamParams p;
  fill(p, views);
  set_source(p, 0.5 * std::hypot(p.recon.num_rows * p.voxel_row_aspect, p.recon.num_cols) * ratio / magnification);
  p.curved = kind == 1;
  for (int v = 0; v < views; ++v) p.angles.push_back(between(-4, 4));
  if (between(0, 1) < 0.5)
    for (int v = 0; v < views; ++v) p.z_shifts.push_back(between(-3, 3) / magnification);
  return p;
}

TEST_P(SeparableKernels, BackProjectionIsTheAdjointForAnyGeometry) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    SeparableScan const scan = random_scan(random);
    auto const pixels = pixels_of(scan.recon, 1 + i % 3);
    SeparableRun const run(scan, pixels, GetParam(), std::array{1, 2, 3, 5}[i % 4]);
    // No signs: sums must not cancel.
    Values const x = magnitudes(random_values(Index(pixels.size()) * scan.recon.num_slices, 1));
    Values const y = magnitudes(random_values(scan.sinogram.size(), 2));

    double const forward = dot(run.forward(x), y), back = dot(x, run.back(y));

    EXPECT_NEAR(forward, back, 1e-6 * std::abs(forward) + 1e-30);
  }
}

std::vector<SeparableScan> all_kinds() {
  return {cone(), cone(true, true), translation(), multiaxis()};
}

TEST_P(SeparableKernels, ResultsDoNotDependOnTheNumberOfDevices) {
  for (SeparableScan const& scan : all_kinds()) {
    auto const pixels = pixels_of(scan.recon, 2);
    Values const x = random_values(Index(pixels.size()) * scan.recon.num_slices, 1);
    Values const y = random_values(scan.sinogram.size(), 2), w = magnitudes(y);
    SeparableRun const one(scan, pixels, GetParam());
    auto const forward = one.forward(x);
    auto const back = one.back(y);
    auto const squared = one.back(w, 2);
    auto const curvature = one.curvature(x, w);
    auto const descended = one.descend(x, 0.3F, w, y, true);
    EXPECT_EQ(one.descend(x, 0.3F, w, y, false), descended);
    EXPECT_EQ(one.descend(x, 0.3F, {}, y, false), one.descend(x, 0.3F, {}, y, true));
    EXPECT_EQ(one.descend({}, 0, w, y, true).second, back);

    for (int const devices : {2, 3, 5}) {
      SCOPED_TRACE(devices);
      SeparableRun const several(scan, pixels, GetParam(), devices);
      EXPECT_EQ(several.forward(x), forward);
      EXPECT_EQ(several.back(y), back);
      EXPECT_EQ(several.back(y, 1, Position::by_entry, several.blocks().per_shard), back) << "by bands of slices";
      EXPECT_EQ(several.back(w, 2), squared);
      EXPECT_EQ(several.curvature(x, w), curvature);
      EXPECT_EQ(several.descend(x, 0.3F, w, y, true), descended);
    }
  }
}

/// `scan` with so many slices that shards hold several blocks, thinner ones; few pixels.
template <class Params>
SeparableScan tall(Params params) {
  params.recon = {5, 6, 301};
  params.voxel_slice_aspect = 0.05;
  return params;
}

TEST_P(SeparableKernels, BandsInsideShardsGiveTheBitsOfTheWhole) {
  for (SeparableScan const& scan : {tall(cone()), tall(cone(true, true)), tall(translation()), tall(multiaxis())}) {
    auto const pixels = pixels_of(scan.recon);
    Values const y = random_values(scan.sinogram.size(), 2), w = magnitudes(y);
    for (int const devices : {1, 2, 3}) {
      SCOPED_TRACE(devices);
      SeparableRun const run(scan, pixels, GetParam(), devices);
      ASSERT_GT(run.blocks().per_shard, 1);
      auto const back = run.back(y), squared = run.back(w, 2);
      for (int const blocks : {1, 2}) {
        EXPECT_EQ(run.back(y, 1, Position::by_entry, blocks), back);
        EXPECT_EQ(run.back(y, 1, Position::by_pixel, blocks), back);
        EXPECT_EQ(run.back(w, 2, Position::by_entry, blocks), squared);
      }
    }
  }
}

TEST_P(SeparableKernels, BatchesOfTheListAddUpToTheSameBits) {
  SeparableScan const scan = cone();
  auto const pixels = pixels_of(scan.recon);
  ASSERT_GT(pixels.size(), 256U);
  Values const x = random_values(Index(pixels.size()) * scan.recon.num_slices, 1);
  SeparableRun const run(scan, pixels, GetParam());

  EXPECT_EQ(run.forward(x, Position::by_pixel, 256), run.forward(x));
  EXPECT_EQ(run.forward(x, Position::by_entry, 256), run.forward(x));
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST_P(SeparableKernels, ResultsDoNotDependOnTheNumberOfThreads) {
  SeparableScan const scan = cone();
  auto const pixels = pixels_of(scan.recon);
  Values const x = random_values(Index(pixels.size()) * scan.recon.num_slices, 1);
  Values const y = random_values(scan.sinogram.size(), 2);
  SeparableRun const one(scan, pixels, 1, ExecSpace(1), GetParam()), two(scan, pixels, 1, ExecSpace(2), GetParam());

  EXPECT_EQ(one.forward(x), two.forward(x));
  EXPECT_EQ(one.back(y), two.back(y));
  EXPECT_EQ(one.descend(x, 0.5F, y, y, true), two.descend(x, 0.5F, y, y, true));
}
#endif

TEST_P(SeparableKernels, CurvatureIsTheWeightedNormOfTheProjection) {
  ConeBeamParams const params = cone();
  auto const pixels = pixels_of(params.recon, 5);
  SeparableRun const run(params, pixels, GetParam());
  Values const x = random_values(Index(pixels.size()) * params.recon.num_slices, 1);
  Values const w = magnitudes(random_values(params.sinogram.size(), 2));
  auto const q = reference::forward_project(params, pixels, in_double(x));

  auto const weighted = run.curvature(x, w), plain = run.curvature(x, {});

  Index const view = params.sinogram.size() / params.sinogram.num_views;
  for (int v = 0; v < params.sinogram.num_views; ++v) {
    double with = 0, without = 0;
    for (Index i = v * view; i < (v + 1) * view; ++i) {
      with += w[i] * q[i] * q[i];
      without += q[i] * q[i];
    }
    EXPECT_NEAR(weighted[v], with, 1e-5 * with);
    EXPECT_NEAR(plain[v], without, 1e-5 * without);
  }
}

TEST_P(SeparableKernels, VoxelsInCornersBehindTheSourceAreDropped) {
  ConeBeamParams p = cone();
  p.recon = {20, 20, 5};
  p.voxel_row_aspect = 1;
  p.delta_voxel = 1;
  p.source_iso_dist = 10.5;  // corners reach 14
  p.source_detector_dist = 40;
  auto const pixels = pixels_of(p.recon);
  SeparableRun const run(p, pixels, GetParam());
  Values const x(pixels.size() * 5, 1.0F), y(static_cast<std::size_t>(p.sinogram.size()), 1.0F);

  for (float const value : run.forward(x)) EXPECT_TRUE(std::isfinite(value) && value >= 0);
  for (float const value : run.back(y, 2)) EXPECT_TRUE(std::isfinite(value) && value >= 0);
  EXPECT_NEAR(dot(run.forward(x), y), dot(x, run.back(y)), 1e-6 * dot(x, run.back(y)));
}

TEST(SeparableProjector, RefusesVolumesThatReachTheSource) {
  ConeBeamParams p = cone();
  p.source_iso_dist = 6;
  EXPECT_THROW(validate(p), InputError);
  TranslationParams t = translation();
  t.source_iso_dist = 6.4;
  EXPECT_THROW(validate(t), InputError);
  t.source_iso_dist = 6.5;
  EXPECT_NO_THROW(validate(t));
}

TEST(SeparableProjector, RefusesNumbersThatDescribeNoScan) {
  auto const refuses = [](auto const& change) {
    ConeBeamParams p = cone();
    change(p);
    EXPECT_THROW(validate(p), InputError);
  };
  refuses([](auto& p) { p.angles.pop_back(); });
  refuses([](auto& p) { p.z_shifts = {1.0}; });
  refuses([](auto& p) { p.angles[2] = infinity; });
  refuses([](auto& p) { p.delta_det_row = 0; });
  refuses([](auto& p) { p.voxel_slice_aspect = -1; });
  refuses([](auto& p) { p.recon.num_slices = 0; });
  refuses([](auto& p) { p.source_iso_dist = infinity; });
  refuses([](auto& p) { p.source_detector_dist = 0; });
}

TEST_P(SeparableKernels, CallsAllocateNothing) {
  SeparableScan const scan = cone();
  auto const pixels = pixels_of(scan.recon, 3);
  SeparableRun const run(scan, pixels, GetParam());
  Values const x = random_values(Index(pixels.size()) * scan.recon.num_slices, 1);
  Values const y = random_values(scan.sinogram.size(), 2);
  auto const& device = run.devices().front();
  CylinderBand const band = run.band(x, Position::by_entry);
  Sinogram const error = run.shard(device, y), weights = run.shard(device, y);
  Cylinders const out = run.empty_cylinders(Position::by_entry, run.blocks().num_blocks());
  Array1<double> const per_view("per_view", scan.sinogram.num_views);
  Projector const& projector = *device.projector;

  auto const call_all = [&] {
    projector.forward_project(run.exec(), band, error);
    projector.back_project(run.exec(), projector.nodes().front(), error, 1, {0, run.blocks().num_blocks()},
                           run.pixels(), Position::by_entry, out);
    projector.curvature(run.exec(), band, weights, per_view);
    projector.descend(run.exec(), {band, 0.1F}, weights, error);
    projector.descend_and_back_project(run.exec(), {band, 0.1F}, weights, error, run.pixels(), out);
  };
  call_all();  // Kokkos grows the scratch memory of teams at their first launch
  test::ToolWatch const watch;
  call_all();

  EXPECT_EQ(watch.events().allocations, 0);
}

}  // namespace
}  // namespace strata
