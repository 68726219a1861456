/// Every geometry's forward projection against exact line integrals through a ball and an off-centre box.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "core/solver/region_mask.hpp"
#include "geometries/parallel_scan.hpp"
#include "unit_tests/support/ct_case.hpp"
#include "unit_tests/support/line_integrals.hpp"

namespace strata::test {
namespace {

struct Scan {
  std::shared_ptr<Geometry const> geometry;
  RayOf rays;
};

/// A volume of 32 ALU in n^3 voxels on n x n detector cells.
GeometryParams grid(int n, double magnification) {
  GeometryParams p;
  p.sinogram = {5, n, n};
  p.recon = {n, n, n};
  p.delta_voxel = 32.0 / n;
  p.delta_det_channel = p.delta_det_row = 32.0 * magnification / n;
  p.det_channel_offset = 0.7;
  p.det_row_offset = -0.4;
  return p;
}

std::vector<double> turns(double start) {
  std::vector<double> angles;
  for (int v = 0; v < 5; ++v) angles.push_back(start + 2 * std::numbers::pi * v / 5);
  return angles;
}

Scan cone(int n, bool curved, bool helical) {
  ConeScanParams scan;
  scan.common = grid(n, 2);
  scan.angles = turns(0.3);
  scan.source_detector_dist = 200;  // the fan is 9 degrees to either side
  scan.source_iso_dist = 100;
  scan.use_curved_detector = curved;
  if (helical) scan.helical_z_shifts = {-3, -1.5, 0, 1.5, 3};
  return {make_cone_scan(scan), rays_of(scan)};
}

Scan translation(int n) {
  TranslationScanParams scan;
  scan.common = grid(n, 2);
  scan.translation_vectors = {{-4, 0, 3}, {0, 2, 0}, {4, -2, -3}, {0, 0, 5}, {6, 0, 0}};
  scan.source_detector_dist = 200;
  scan.source_iso_dist = 100;
  return {make_translation_scan(scan), rays_of(scan)};
}

Scan multiaxis(int n) {
  MultiAxisScanParams scan{grid(n, 1), turns(0.3), {-0.5, 0.2, 0, 0.6, 1.1}};
  return {make_multiaxis_scan(scan), rays_of(scan)};
}

Scan parallel(int n) {
  GeometryParams params = grid(n, 1);
  params.det_row_offset = 0;
  return {make_parallel_scan(params, turns(0.3)), rays_of(MultiAxisScanParams{params, turns(0.3), {0, 0, 0, 0, 0}})};
}

struct Error {
  double nrmse;
  double sum;  ///< of all line integrals, relative
};

template <class Object>
Error error(Scan const& scan, Object const& object) {
  GeometryParams const& params = scan.geometry->params();
  auto const mask = full_mask(params.recon.num_rows, params.recon.num_cols);
  TomographyModel const model(DeviceSet::virtual_devices(2), scan.geometry, {mask.inside.begin(), mask.inside.end()});
  auto const volume = model.make_volume("test::object");
  auto const sinogram = model.make_sinogram("test::projections");
  from_host(model, voxels(object, params, 4), volume);
  model.forward_project(volume, sinogram);
  auto const ours = to_host(model, sinogram), exact = line_integrals(object, params, scan.rays, 4);
  double const sum = std::accumulate(exact.begin(), exact.end(), 0.0);
  return {nrmse(ours, exact), std::abs(std::accumulate(ours.begin(), ours.end(), 0.0) / sum - 1)};
}

struct Limits {
  double finest;  ///< error with 64 voxels along each axis
  double ratio;   ///< error with twice as many voxels over error before
};

template <class Object>
void expect_falling(std::function<Scan(int)> const& scan, Object const& object, Limits const& limits) {
  Error const coarse = error(scan(16), object), middle = error(scan(32), object), fine = error(scan(64), object);
  SCOPED_TRACE(testing::Message() << coarse.nrmse << ", " << middle.nrmse << ", " << fine.nrmse);
  EXPECT_LT(fine.nrmse, limits.finest);
  EXPECT_LT(middle.nrmse, limits.ratio * coarse.nrmse);
  EXPECT_LT(fine.nrmse, limits.ratio * middle.nrmse);
  EXPECT_LT(fine.sum, 0.002);
}

// A ball's error falls as the voxel does. A box has edges that voxels cut, but for the finest ones.
Ball const ball{{2, -1.5, 1}, 8.3};
Box const box{{1.5, -7, -4}, {9, 2.5, 6.5}};  // on edges of the parts that voxels() counts

void expect_falling(std::function<Scan(int)> const& scan) {
  expect_falling(scan, ball, {0.016, 0.65});
  expect_falling(scan, box, {0.075, 0.8});
}

TEST(LineIntegrals, OfConeBeamsOnAFlatDetectorAreMetEverBetterByFinerVoxels) {
  expect_falling([](int n) { return cone(n, false, false); });
}

TEST(LineIntegrals, OfConeBeamsOnACurvedDetectorAreMetEverBetterByFinerVoxels) {
  expect_falling([](int n) { return cone(n, true, false); });
}

TEST(LineIntegrals, OfAHelixAreMetEverBetterByFinerVoxels) {
  expect_falling([](int n) { return cone(n, false, true); });
}

TEST(LineIntegrals, OfTranslationsAreMetEverBetterByFinerVoxels) {
  expect_falling(translation);
}

TEST(LineIntegrals, OfMultiAxisBeamsAreMetEverBetterByFinerVoxels) {
  expect_falling(multiaxis);
}

TEST(LineIntegrals, OfParallelBeamsAreMetEverBetterByFinerVoxels) {
  expect_falling(parallel);
}

}  // namespace
}  // namespace strata::test
