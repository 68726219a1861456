#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/placement/exchange_host.hpp"
#include "core/solver/direct_recon.hpp"
#include "core/solver/ramp_filter.hpp"
#include "geometries/cone_scan.hpp"
#include "geometries/perspective_filter.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

constexpr double pi = std::numbers::pi;

// ---------------------------------------------------------------- golden values

ConeScanParams golden_cone(std::string const& file) {
  auto const numbers = [&](char const* key) { return golden::attribute(file, "parameters", key); };
  auto const number = [&](char const* key) { return numbers(key)[0]; };
  ConeScanParams scan;
  auto const sinogram = numbers("sinogram_shape");
  auto const recon = numbers("recon_shape");
  scan.common.sinogram = {int(sinogram[0]), int(sinogram[1]), int(sinogram[2])};
  scan.common.recon = {int(recon[0]), int(recon[1]), int(recon[2])};
  scan.common.delta_det_channel = number("delta_det_channel");
  scan.common.delta_det_row = number("delta_det_row");
  scan.common.det_channel_offset = number("det_channel_offset");
  scan.common.det_row_offset = number("det_row_offset");
  scan.common.delta_voxel = number("delta_voxel");
  scan.common.voxel_row_aspect = number("voxel_row_aspect");
  scan.common.voxel_slice_aspect = number("voxel_slice_aspect");
  if (golden::has_attribute(file, "parameters", "recon_slice_offset"))
    scan.common.recon_slice_offset = number("recon_slice_offset");
  scan.source_detector_dist = number("source_detector_dist");
  scan.source_iso_dist = number("source_iso_dist");
  scan.common.magnification = scan.source_detector_dist / scan.source_iso_dist;
  if (golden::exists(file, "views/helical_z_shifts"))
    scan.helical_z_shifts = golden::read(file, "views/helical_z_shifts").values;
  scan.reference_mode = true;
  return scan;
}

/// `values` [view][row][channel], filtered on `num_devices` devices.
std::vector<double> filtered(SinogramShape const& shape, DirectFilterParams const& params,
                             std::vector<double> const& values, int num_devices = 1) {
  auto const devices = DeviceSet::virtual_devices(num_devices);
  SinogramLayout const layout{SliceBlocks::single(shape.num_det_rows), shape.num_det_channels};
  auto const sinogram = make_sinogram(Placement::of_views(devices, shape.num_views), layout.rows,
                                      shape.num_det_channels, "test::sinogram");
  HostExchange const exchange(devices, shape.size());
  exchange.put_views(sinogram, layout, {0, shape.num_views}, std::vector<float>(values.begin(), values.end()));
  RampFilter(shape, layout, params).apply(sinogram, sinogram);
  std::vector<float> result(values.size());
  exchange.get_views(sinogram, layout, {0, shape.num_views}, result);
  return {result.begin(), result.end()};
}

class GoldenFilter : public ::testing::TestWithParam<char const*> {};

TEST_P(GoldenFilter, OfPointSourcesIsTheReferencesInReferenceMode) {
  std::string const file = std::string(GetParam()) + ".h5";
  auto const scan = golden_cone(file);
  auto const filter = perspective_filter({scan.common, scan.source_detector_dist, scan.use_curved_detector, true});
  auto const expected = golden::read(file, "filtered_sinogram").values;
  auto const sinogram = golden::read(file, "sinogram").values;
  EXPECT_LT(golden::nrmse(filtered(scan.common.sinogram, filter, sinogram), expected), 3e-6);
  EXPECT_LT(golden::nrmse(filtered(scan.common.sinogram, filter, sinogram, 3), expected), 3e-6);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenFilter,
                         ::testing::Values("cone_basic", "cone_curved_pad", "cone_helical", "cone_large_angle",
                                           "cone_odd_offsets", "cone_offset_limited", "translation_basic",
                                           "translation_offsets"));

TEST(SliceMeanDamping, OfConeBeamsIsTheReferences) {
  for (char const* name : {"cone_basic.h5", "cone_curved_pad.h5", "cone_helical.h5", "cone_large_angle.h5",
                           "cone_odd_offsets.h5", "cone_offset_limited.h5"})
    EXPECT_LT(golden::max_relative(cone_mean_damping(golden_cone(name)),
                                   golden::read(name, "parameters/derived/dc_damping_profile").values),
              1e-6)
        << name;
}

TEST(HelicalSliceWeights, CountTheViewsThatSeeASlice) {
  ConeScanParams scan;
  scan.common.sinogram = {4, 2, 2};
  scan.common.recon = {2, 2, 4};
  scan.common.magnification = 2;
  scan.common.delta_det_row = 2;
  EXPECT_TRUE(helical_slice_weights(scan).empty());
  scan.helical_z_shifts.assign(4, 1.0);
  EXPECT_TRUE(helical_slice_weights(scan).empty());
  // Slices at -1.5 .. 1.5; a view sees 1 up and down.
  scan.helical_z_shifts = {-1.5, -1, 0.2, 0.4};
  EXPECT_EQ(helical_slice_weights(scan), (std::vector<float>{2, 1, 2, 0}));
  scan.common.det_row_offset = 4;  // the reference does not look at it
  EXPECT_EQ(helical_slice_weights(scan), (std::vector<float>{2, 1, 2, 0}));
}

// ---------------------------------------------------------------- redundancy weights

std::vector<double> angles_over(double start, double stop, int count) {
  std::vector<double> angles(count);
  for (int v = 0; v < count; ++v) angles[v] = (start + (stop - start) * v / count) * pi / 180;
  return angles;
}

/// Equal angles from -half - shift to half - shift degrees.
RayFan fan(std::vector<double> const& angles, double half, double shift = 0, int channels = 41) {
  RayFan result{angles, {}, {}, false};
  for (int n = 0; n < channels; ++n)
    result.fan_angles.push_back(((2.0 * n / (channels - 1) - 1) * half - shift) * pi / 180);
  result.positions = result.fan_angles;
  return result;
}

RayFan parallel_rays(std::vector<double> const& angles, double shift = 0, int channels = 41) {
  RayFan result{angles, std::vector<double>(channels, 0.0), {}, false};
  for (int n = 0; n < channels; ++n) result.positions.push_back(n - (channels - 1) / 2.0 - shift);
  return result;
}

TEST(ParkerWeight, OfARayAndItsOppositeAddUpToOne) {
  double const half_width = 0.4;
  for (double const gamma : {-0.4, -0.3, 0.0, 0.1, 0.39})
    for (double angle = 0; angle < 2 * (half_width - gamma); angle += 0.01)
      EXPECT_NEAR(parker_weight(angle, gamma, half_width) + parker_weight(angle + pi + 2 * gamma, -gamma, half_width),
                  1, 1e-12);
  EXPECT_EQ(parker_weight(-0.1, 0, half_width), 0);
  EXPECT_EQ(parker_weight(pi + 0.81, 0, half_width), 0);
  EXPECT_EQ(parker_weight(pi / 2, 0.2, half_width), 1);
}

TEST(RedundancyWeights, AreOnesForWholeTurnsAtEqualSteps) {
  for (auto const& angles : {angles_over(0, 360, 24), angles_over(-10, 350, 25), angles_over(0, -360, 24),
                             angles_over(0, 720, 50), angles_over(30, 750, 51)}) {
    auto const weights = redundancy_weights(fan(angles, 20));
    EXPECT_TRUE(weights.view_weights.empty()) << weights.notes.size();
    EXPECT_TRUE(weights.warnings.empty());
  }
  for (auto const& angles : {angles_over(0, 180, 24), angles_over(5, 365, 25), angles_over(0, 540, 60)})
    EXPECT_TRUE(redundancy_weights(parallel_rays(angles)).view_weights.empty());
}

TEST(RedundancyWeights, AreOnesWhereTheGeometryHasNone) {
  EXPECT_TRUE(redundancy_weights({}).view_weights.empty());
}

TEST(RedundancyWeights, OfViewsAddUpToTheWholeCircleWhateverTheSteps) {
  auto angles = angles_over(0, 360, 60);
  for (std::size_t v = 0; v < angles.size(); ++v) angles[v] += 0.03 * std::sin(double(v));
  angles.push_back(2 * pi);  // once more the first
  auto const weights = redundancy_weights(fan(angles, 20)).view_weights;
  ASSERT_EQ(weights.size(), 61u * 41u);
  double sum = 0;
  for (std::size_t v = 0; v < 61; ++v) sum += weights[v * 41];
  EXPECT_NEAR(sum, 61, 1e-4);
}

TEST(RedundancyWeights, WarnOfTooFewAngles) {
  auto const parallel = redundancy_weights(parallel_rays(angles_over(0, 120, 30)));
  EXPECT_EQ(parallel.warnings.size(), 1u);
  EXPECT_TRUE(parallel.view_weights.empty());
  auto const cone = redundancy_weights(fan(angles_over(0, 200, 100), 20));
  EXPECT_EQ(cone.warnings.size(), 1u);
  EXPECT_TRUE(cone.view_weights.empty());
  EXPECT_TRUE(redundancy_weights(fan(angles_over(0, 222, 111), 20)).warnings.empty());
}

TEST(RedundancyWeights, CanBeSwitchedOff) {
  RedundancyOptions const off{Choice::off, Choice::off};
  EXPECT_TRUE(redundancy_weights(fan(angles_over(0, 240, 100), 20), off).view_weights.empty());
  EXPECT_TRUE(redundancy_weights(fan(angles_over(0, 360, 100), 20, 10), off).view_weights.empty());
  EXPECT_FALSE(
      redundancy_weights(fan(angles_over(0, 360, 100), 20, 0.5), {Choice::automatic, Choice::on}).view_weights.empty());
}

TEST(RedundancyWeights, OfADisplacedDetectorAddUpToTwoForOppositeRays) {
  // Positions are symmetric about the axis: channel n is opposite to channel 2 * 12 - n.
  auto const weights = redundancy_weights(fan(angles_over(0, 360, 36), 20, -8)).view_weights;
  ASSERT_EQ(weights.size(), 36u * 41u);
  for (int n = 0; n <= 24; ++n) EXPECT_NEAR(weights[n] + weights[24 - n], 2, 1e-5) << n;
  for (int n = 26; n < 41; ++n) EXPECT_NEAR(weights[n], 2, 1e-5) << n;
  EXPECT_LT(weights[0], 0.01);
}

// ---------------------------------------------------------------- a disc

/// A disc of value 1 in a fan beam with one detector row in the mid-plane.
struct DiscScan {
  double radius = 30, centre_x = 12, centre_y = -7;
  ConeScanParams scan;

  DiscScan(std::vector<double> const& angles, double sid, bool curved, int channels, double offset = 0) {
    scan.common.sinogram = {int(angles.size()), 1, channels};
    scan.common.det_channel_offset = offset;
    scan.source_iso_dist = sid;
    scan.source_detector_dist = 1.5 * sid;
    scan.common.magnification = std::isinf(sid) ? 1 : 1.5;
    scan.use_curved_detector = curved;
    scan.angles = angles;
  }

  double fan_angle(double u) const {
    double const arc = u / scan.source_detector_dist;
    return scan.use_curved_detector ? arc : std::atan(arc);
  }

  /// Chord of the ray to u, view angle a: the object turns, see geometry.md 1.
  double chord(double a, double u) const {
    double const x = std::cos(a) * centre_x - std::sin(a) * centre_y;
    double const y = std::sin(a) * centre_x + std::cos(a) * centre_y;
    double distance = x - u;
    if (!std::isinf(scan.source_iso_dist)) {
      double const angle = fan_angle(u);
      distance = x * std::cos(angle) - (scan.source_iso_dist - y) * std::sin(angle);
    }
    return 2 * std::sqrt(std::max(0.0, radius * radius - distance * distance));
  }

  std::vector<double> sinogram() const {
    std::vector<double> values;
    auto const channels = channel_distances(scan.common);
    constexpr int fine = 8;  // average over the width of a channel
    for (double const a : scan.angles)
      for (double const u : channels) {
        double sum = 0;
        for (int i = 0; i < fine; ++i) sum += chord(a, u + ((i + 0.5) / fine - 0.5) * scan.common.delta_det_channel);
        values.push_back(sum / fine);
      }
    return values;
  }

  RayFan ray_fan() const {
    RayFan rays{scan.angles, {}, channel_distances(scan.common), false};
    rays.fan_angles.assign(rays.positions.size(), 0.0);
    if (std::isinf(scan.source_iso_dist)) return rays;
    for (double& u : rays.positions) u = fan_angle(u);
    rays.fan_angles = rays.positions;
    return rays;
  }

  /// Image at (x0, y0) by the filter and back projection with linear interpolation and the mass of A'.
  std::function<double(double, double)> reconstruct(RedundancyOptions const& options = {}) const {
    auto const weights = redundancy_weights(ray_fan(), options);
    auto values = sinogram();
    int const channels = scan.common.sinogram.num_det_channels;
    for (std::size_t i = 0; i < values.size() && !weights.view_weights.empty(); ++i)
      values[i] *= weights.view_weights[i];
    DiscScan wide = *this;
    wide.scan.common = widened(scan.common, weights.channels_before, weights.channels_after);
    int const wide_channels = wide.scan.common.sinogram.num_det_channels;
    std::vector<double> padded(scan.angles.size() * wide_channels);
    for (std::size_t v = 0; v < scan.angles.size(); ++v)
      std::copy_n(values.begin() + v * channels, channels,
                  padded.begin() + v * wide_channels + weights.channels_before);
    auto const filter =
        perspective_filter({wide.scan.common, scan.source_detector_dist, scan.use_curved_detector, false});
    auto const f = filtered(wide.scan.common.sinogram, filter, padded);
    return [wide, f](double x0, double y0) { return wide.back_project(f, x0, y0); };
  }

  double back_project(std::vector<double> const& f, double x0, double y0) const {
    int const channels = scan.common.sinogram.num_det_channels;
    double sum = 0;
    for (std::size_t v = 0; v < scan.angles.size(); ++v) {
      double const a = scan.angles[v];
      double const x = std::cos(a) * x0 - std::sin(a) * y0;
      double const y = std::sin(a) * x0 + std::cos(a) * y0;
      double u = x, mass = 1;
      if (!std::isinf(scan.source_iso_dist)) {
        double const theta = std::atan2(x, scan.source_iso_dist - y);
        double const sdd = scan.source_detector_dist;
        u = scan.use_curved_detector ? sdd * theta : sdd * std::tan(theta);
        double const g =
            sdd / (scan.use_curved_detector ? std::hypot(x, scan.source_iso_dist - y) : scan.source_iso_dist - y);
        mass = g * g / (scan.use_curved_detector ? 1 : std::cos(theta));
      }
      double const n = u + scan.common.det_channel_offset + (channels - 1) / 2.0;
      int const left = int(std::floor(n));
      if (left < 0 || left + 1 >= channels) continue;
      double const part = n - left;
      sum += mass * ((1 - part) * f[v * channels + left] + part * f[v * channels + left + 1]);
    }
    return sum;
  }

  /// Largest error of the disc's value well inside it.
  double worst_inside(RedundancyOptions const& options = {}) const {
    auto const image = reconstruct(options);
    double worst = 0;
    for (double r = 0; r < 0.85 * radius; r += 0.2 * radius)
      for (int k = 0; k < 8; ++k) {
        double const x = centre_x + r * std::cos(k * pi / 4), y = centre_y + r * std::sin(k * pi / 4);
        worst = std::max(worst, std::abs(image(x, y) - 1));
      }
    return worst;
  }
};

constexpr double infinity = std::numeric_limits<double>::infinity();
RedundancyOptions const none{Choice::off, Choice::off};

TEST(Disc, ComesBackFromAWholeTurnWithAFlatDetector) {
  EXPECT_LT(DiscScan(angles_over(0, 360, 360), 100, false, 180).worst_inside(), 0.005);
}

TEST(Disc, ComesBackFromAWholeTurnWithACurvedDetector) {
  EXPECT_LT(DiscScan(angles_over(0, 360, 360), 100, true, 180).worst_inside(), 0.005);
}

TEST(Disc, ComesBackFromParallelRaysOfACone) {
  EXPECT_LT(DiscScan(angles_over(0, 360, 360), infinity, false, 120).worst_inside(), 0.005);
}

TEST(Disc, ComesBackFromAShortScanWithParkersWeightsAlone) {
  for (bool const curved : {false, true})
    for (double const start : {0.0, 77.0})
      for (double const arc : {245.0, 300.0}) {
        DiscScan const disc(angles_over(start, start + arc, int(arc)), 100, curved, 170);
        EXPECT_LT(disc.worst_inside(), 0.01) << curved << " " << start << " " << arc;
        EXPECT_GT(disc.worst_inside(none), 0.03);
      }
}

TEST(Disc, ComesBackFromAShortScanTheOtherWayRound) {
  EXPECT_LT(DiscScan(angles_over(250, 0, 250), 100, false, 170).worst_inside(), 0.01);
}

TEST(Disc, ComesBackFromADisplacedDetectorWithOffsetWeightsAlone) {
  for (bool const curved : {false, true})
    for (double const offset : {40.0, -40.0}) {
      DiscScan const disc(angles_over(0, 360, 480), 100, curved, 110, offset);
      EXPECT_LT(disc.worst_inside(), 0.01) << curved << " " << offset;
      EXPECT_GT(disc.worst_inside(none), 0.1);
    }
}

TEST(Disc, ComesBackFromUnequalStepsWithViewWeightsAlone) {
  auto angles = angles_over(0, 360, 300);
  for (double const extra : angles_over(0, 90, 75)) angles.push_back(extra + 0.3 * pi / 180);
  DiscScan const disc(angles, 100, false, 180);
  EXPECT_LT(disc.worst_inside(), 0.01);
  EXPECT_GT(disc.worst_inside(none), 0.03);
}

TEST(Disc, ComesBackFromMoreThanHalfATurnOfParallelRays) {
  DiscScan const disc(angles_over(0, 225, 225), infinity, false, 120);
  EXPECT_LT(disc.worst_inside(), 0.01);
  EXPECT_FALSE(redundancy_weights(disc.ray_fan()).view_weights.empty());
}

// ---------------------------------------------------------------- pieces

TEST(RampKernel, OfEqualAnglesIsTheFlatOneForASmallPitch) {
  auto const flat = ramp_kernel(50, 2);
  auto const curved = ramp_kernel(50, 2, 1e-6);
  for (std::size_t q = 0; q < flat.size(); ++q) EXPECT_NEAR(curved[q], flat[q], 1e-9);
  EXPECT_NEAR(ramp_kernel(50, 1, 0.02)[49 + 11], -std::pow(0.02 / (pi * std::sin(0.22)), 2), 1e-12);
}

TEST(RampKernel, RefusesAFanOfHalfATurn) {
  EXPECT_THROW((void)ramp_kernel(50, 1, pi / 49), InputError);
}

TEST(ScaleSlices, MultipliesEachSliceByItsWeightOnAnyNumberOfDevices) {
  for (int const num_devices : {1, 3}) {
    auto const devices = DeviceSet::virtual_devices(num_devices);
    int const slices = 70, pixels = 5;
    auto const volume = make_volume(Placement::of_slices(devices, slices), pixels, "test::volume");
    HostExchange const exchange(devices, slices * pixels);
    std::vector<float> values(slices * pixels), weights(slices);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i + 1);
    for (int k = 0; k < slices; ++k) weights[k] = float(k) / 4;
    exchange.put_pixels(volume, {0, pixels}, values);
    scale_slices(volume, weights);
    std::vector<float> result(values.size());
    exchange.get_pixels(volume, {0, pixels}, result);
    for (int i = 0; i < slices * pixels; ++i) ASSERT_EQ(result[i], values[i] * weights[i % slices]) << i;
  }
}

}  // namespace
}  // namespace strata
