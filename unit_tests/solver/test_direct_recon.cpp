#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/log.hpp"
#include "core/solver/direct_recon.hpp"
#include "core/solver/region_mask.hpp"
#include "geometries/cone_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

class GoldenDirect : public ::testing::TestWithParam<char const*> {};

TEST_P(GoldenDirect, ReconstructionIsTheReferencesInReferenceModeOnAnyNumberOfDevices) {
  CtCase const golden(GetParam());
  for (int const num_devices : {1, 3}) {
    auto const model = golden.model(num_devices);
    auto const sinogram = golden.sinogram(*model, "sinogram");
    auto const out = model->make_sinogram("test::out");
    auto const recon = model->make_volume("test::recon");
    poison(*model, sinogram, 3.5F);
    direct_recon(*model, sinogram, out, recon);
    EXPECT_LT(nrmse(to_host(*model, out), golden.file().read<float>("filtered_sinogram")), 3e-6);
    EXPECT_LT(nrmse(to_host(*model, recon), golden.file().read<float>("direct_recon")), 5e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenDirect,
                         ::testing::Values("cone_basic", "cone_curved_pad", "cone_helical", "cone_large_angle",
                                           "cone_odd_offsets", "cone_offset_limited", "translation_basic",
                                           "translation_offsets", "multiaxis_laminography", "multiaxis_varied",
                                           "parallel_limited_angle"));

/// A cylinder along the rotation axis, value 1, projected and reconstructed.
class Cylinder {
 public:
  ConeScanParams scan;
  double radius = 17;  ///< in voxels

  /// Half fan about 18 degrees.
  Cylinder(double start, double stop, int views) {
    scan.common.sinogram = {views, 9, 64};
    scan.common.recon = {48, 48, 9};
    scan.source_detector_dist = 96;
    scan.source_iso_dist = 72;
    scan.common.delta_voxel = 0.75;
    for (int v = 0; v < views; ++v)
      scan.angles.push_back((start + (stop - start) * v / views) * std::numbers::pi / 180);
  }

  /// Mean and largest deviation from 1 over the middle slice, up to 80 % of the radius.
  struct Errors {
    double bias = 0, worst = 0;
  };
  Errors errors(int num_devices = 1, RedundancyOptions const& options = {}) const {
    auto const geometry = make_cone_scan(scan);
    auto const mask = full_mask(48, 48);
    std::vector<bool> const inside(mask.inside.begin(), mask.inside.end());
    TomographyModel const one(DeviceSet::virtual_devices(1), geometry, inside);
    auto const object = one.make_volume("test::cylinder");
    auto const projections = one.make_sinogram("test::projections");
    from_host(one, phantom(), object);
    one.forward_project(object, projections);
    TomographyModel const model(DeviceSet::virtual_devices(num_devices), geometry, inside);
    auto const sinogram = model.make_sinogram("test::sinogram");
    auto const volume = model.make_volume("test::recon");
    from_host(model, to_host(one, projections), sinogram);
    direct_recon(model, sinogram, sinogram, volume, options);
    return compare(to_host(model, volume));
  }

 private:
  double distance(int i, int j) const { return std::hypot(i - 23.5, j - 23.5); }
  std::vector<float> phantom() const {
    std::vector<float> values;
    int const slices = scan.common.recon.num_slices;
    for (int i = 0; i < 48; ++i)
      for (int j = 0; j < 48; ++j) {
        int inside = 0;  // smooth edge: part of the voxel
        for (int a = 0; a < 25; ++a)
          inside += std::hypot(i - 23.5 + (a / 5 - 2) / 5.0, j - 23.5 + (a % 5 - 2) / 5.0) < radius;
        values.insert(values.end(), slices, float(inside) / 25);
      }
    return values;
  }
  Errors compare(std::vector<float> const& recon) const {
    int const slices = scan.common.recon.num_slices;
    Errors errors;
    int count = 0;
    for (int i = 0; i < 48; ++i)
      for (int j = 0; j < 48; ++j) {
        if (distance(i, j) > 0.8 * radius) continue;
        double const error = recon[(i * 48 + j) * slices + slices / 2] - 1;
        errors.bias += error;
        errors.worst = std::max(errors.worst, std::abs(error));
        ++count;
      }
    errors.bias = std::abs(errors.bias) / count;
    return errors;
  }
};

void expect_right(Cylinder const& cylinder, char const* what, double worst = 0.01) {
  for (int const num_devices : {1, 2}) {
    auto const errors = cylinder.errors(num_devices);
    EXPECT_LT(errors.bias, 0.001) << what;
    EXPECT_LT(errors.worst, worst) << what;
  }
}

TEST(CylinderOfOnes, ComesBackFromAWholeTurn) {
  Cylinder cylinder(0, 360, 180);
  expect_right(cylinder, "flat");
  cylinder.scan.use_curved_detector = true;
  expect_right(cylinder, "curved");
  cylinder.scan.source_detector_dist = INFINITY;
  cylinder.scan.common.delta_voxel = 1;
  expect_right(cylinder, "source infinitely far");
}

TEST(CylinderOfOnes, IsTooBrightAtTheRimInReferenceMode) {
  Cylinder cylinder(0, 360, 180);
  double const right = cylinder.errors().worst;
  cylinder.scan.reference_mode = true;
  EXPECT_GT(cylinder.errors().worst, right + 0.003);
}

TEST(CylinderOfOnes, ComesBackFromAShortScanByParkersWeights) {
  Cylinder const cylinder(20, 250, 115);
  expect_right(cylinder, "short scan");
  EXPECT_GT(cylinder.errors(1, {Choice::off, Choice::off}).worst, 0.03);
}

TEST(CylinderOfOnes, ComesBackFromADisplacedDetectorByOffsetWeights) {
  // A quarter, 39 and 40 % of the detector's width of 46. At 40 % only nine channels see the axis from both sides, and
  // a single voxel at their edge is 1.6 % off.
  for (double const offset : {11.5, -11.5, 18.0, -18.0, 18.4, -18.4}) {
    Cylinder cylinder(0, 360, 180);
    cylinder.scan.common.sinogram.num_det_channels = 46;
    cylinder.scan.common.det_channel_offset = offset;
    expect_right(cylinder, "displaced", std::abs(offset) > 18.2 ? 0.02 : 0.01);
    EXPECT_GT(cylinder.errors(1, {Choice::off, Choice::off}).worst, 0.1);
  }
}

TEST(CylinderOfOnes, ComesBackFromAHelix) {
  Cylinder cylinder(0, 360 * 4, 480);
  cylinder.scan.common.recon.num_slices = 41;
  for (int v = 0; v < 480; ++v) cylinder.scan.helical_z_shifts.push_back(12.0 * (v / 479.0 - 0.5));
  for (int const num_devices : {1, 2}) EXPECT_LT(cylinder.errors(num_devices).bias, 0.03);
}

}  // namespace
}  // namespace strata::test
