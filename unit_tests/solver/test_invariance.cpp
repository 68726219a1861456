#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/solver/direct_recon.hpp"
#include "core/solver/region_mask.hpp"
#include "core/solver/vcd_schedule.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"
#include "geometries/cone_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

struct Images {
  std::vector<float> direct, vcd;
};

/// Direct reconstruction and a few passes of VCD of `values` [view][row][channel].
Images reconstruct(std::shared_ptr<Geometry const> const& geometry, std::vector<float> const& values, double sigma_x,
                   int passes) {
  auto const& shape = geometry->params().recon;
  auto const region = ellipse_mask(shape.num_rows, shape.num_cols);
  TomographyModel const model(DeviceSet::virtual_devices(1), geometry, {region.inside.begin(), region.inside.end()});
  VCDState const state{model.make_volume("test::recon"), model.make_volume("test::hessian"),
                       model.make_sinogram("test::error")};
  from_host(model, values, state.weighted_error);
  auto const scratch = model.make_sinogram("test::scratch");
  Images images;
  direct_recon(model, state.weighted_error, scratch, state.recon);
  images.direct = to_host(model, state.recon);
  QGGMRFParams params;
  params.sigma_x = sigma_x;
  auto const prior = make_qggmrf_prior(params);
  auto const schedule =
      make_schedule({.granularity = {16}, .partition_sequence = {0}, .max_iterations = passes}, region.pixel_indices());
  start_vcd(model, InitialImage::direct, false, state);
  VCDSolver solver(model, *prior, {.sigma_y = 0.01}, state, {make_subset_plan(model, schedule.partitions[0])});
  for (int i = 0; i < passes; ++i) solver.iterate(i, 0, schedule.passes[i].order);
  images.vcd = to_host(model, state.recon);
  return images;
}

/// A scan with all its lengths multiplied by `unit`.
std::shared_ptr<Geometry const> scan_in_units(bool cone, double unit) {
  GeometryParams params;
  params.sinogram = {24, 7, 29};
  params.recon = {25, 23, 7};
  params.delta_det_channel = params.delta_det_row = 0.8 * unit;
  params.det_channel_offset = 1.3 * unit;
  params.delta_voxel = (cone ? 0.45 : 0.9) * unit;
  params.voxel_row_aspect = 1.2;
  std::vector<double> angles;
  for (int v = 0; v < 24; ++v) angles.push_back((cone ? 2 : 1) * std::numbers::pi * v / 24);
  if (!cone) return make_parallel_scan(params, angles);
  ConeScanParams scan;
  scan.common = params;
  scan.angles = angles;
  scan.source_detector_dist = 90 * unit;
  scan.source_iso_dist = 45 * unit;
  return make_cone_scan(scan);
}

TEST(UnitOfLength, ChangesNothingButTheUnitsOfTheImages) {
  std::vector<float> sinogram(24 * 7 * 29);
  for (std::size_t i = 0; i < sinogram.size(); ++i)
    sinogram[i] = std::max(0.F, 1 - std::abs(float(i % 29) - 14) / 9) * (1 + 0.1F * float(i / 29 % 7));
  for (bool const cone : {false, true}) {
    Images const base = reconstruct(scan_in_units(cone, 1), sinogram, 0.02, 3);
    for (double const unit : {1e-3, 1e3}) {
      SCOPED_TRACE(testing::Message() << (cone ? "cone" : "parallel") << ", unit " << unit);
      Images scaled = reconstruct(scan_in_units(cone, unit), sinogram, 0.02 / unit, 3);
      for (float& value : scaled.direct) value = float(value * unit);
      for (float& value : scaled.vcd) value = float(value * unit);
      EXPECT_LT(max_relative(scaled.direct, base.direct), 1e-5);
      EXPECT_LT(max_relative(scaled.vcd, base.vcd), 1e-5);
    }
  }
}

/// Line integral of a ray at detector position (u, v) through an endless cylinder of value 1 about the axis.
double chord(double u, double v, double radius, double source_detector, double source_iso) {
  bool const parallel = std::isinf(source_detector);
  double const in_plane = parallel ? 1 : std::hypot(source_detector, u);
  double const distance = parallel ? std::abs(u) : std::abs(u) * source_iso / in_plane;
  if (distance >= radius) return 0;
  double const slope = parallel ? 0 : v / in_plane;
  return 2 * std::sqrt(radius * radius - distance * distance) * std::sqrt(1 + slope * slope);
}

/// Sinogram of the cylinder: means over 9 x 3 points of each detector cell; the same for all views.
std::vector<float> cylinder_sinogram(GeometryParams const& p, double radius, double source_detector,
                                     double source_iso) {
  std::vector<float> view;
  for (int m = 0; m < p.sinogram.num_det_rows; ++m)
    for (int n = 0; n < p.sinogram.num_det_channels; ++n) {
      double sum = 0;
      for (int i = 0; i < 27; ++i) {
        double const u = (n + (i / 3 - 4) / 9.0 - (p.sinogram.num_det_channels - 1) / 2.0) * p.delta_det_channel;
        double const v = (m + (i % 3 - 1) / 3.0 - (p.sinogram.num_det_rows - 1) / 2.0) * p.delta_det_row;
        sum += chord(u, v, radius, source_detector, source_iso) / 27;
      }
      view.push_back(float(sum));
    }
  std::vector<float> sinogram;
  for (int v = 0; v < p.sinogram.num_views; ++v) sinogram.insert(sinogram.end(), view.begin(), view.end());
  return sinogram;
}

/// Mean of the middle slice within 70 % of the radius.
double middle_mean(std::vector<float> const& recon, GeometryParams const& p, double radius) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < p.recon.num_rows; ++i)
    for (int j = 0; j < p.recon.num_cols; ++j) {
      double const y = (i - (p.recon.num_rows - 1) / 2.0) * p.delta_voxel * p.voxel_row_aspect;
      double const x = (j - (p.recon.num_cols - 1) / 2.0) * p.delta_voxel;
      if (std::hypot(x, y) > 0.7 * radius) continue;
      sum += recon[(Index(i) * p.recon.num_cols + j) * p.recon.num_slices + p.recon.num_slices / 2];
      ++count;
    }
  return sum / count;
}

struct Aspect {
  double row, slice;
};

TEST(CylinderOfKnownAttenuation, ComesBackForAnyShapeOfVoxel) {
  for (bool const cone : {false, true})
    for (Aspect const aspect : {Aspect{1, 1}, Aspect{1, 2.5}, Aspect{0.5, 1}}) {
      if (!cone && aspect.slice != 1) continue;  // parallel beams: a slice is a detector row
      SCOPED_TRACE(testing::Message() << (cone ? "cone, " : "parallel, ") << aspect.row << ", " << aspect.slice);
      double const source_detector = cone ? 400 : INFINITY;
      double const source_iso = cone ? 200 : INFINITY;
      double const pitch = cone ? 0.5 : 1;  // of a voxel that projects to one channel
      GeometryParams params;
      params.sinogram = {120, 9, 64};
      params.delta_voxel = pitch;
      params.voxel_row_aspect = aspect.row;
      params.voxel_slice_aspect = aspect.slice;
      params.recon = {int(64 / aspect.row), 64, int(std::ceil(9 / aspect.slice))};
      double const radius = 24 * pitch;
      std::vector<double> angles;
      for (int v = 0; v < 120; ++v) angles.push_back((cone ? 2 : 1) * std::numbers::pi * v / 120);
      auto const sinogram = cylinder_sinogram(params, radius, source_detector, source_iso);
      auto const geometry =
          cone ? make_cone_scan({params, angles, {}, source_detector, source_iso}) : make_parallel_scan(params, angles);

      Images const images = reconstruct(geometry, sinogram, 0.2, 10);

      EXPECT_NEAR(middle_mean(images.direct, params, radius), 1, 0.005) << "direct";
      EXPECT_NEAR(middle_mean(images.vcd, params, radius), 1, 0.005) << "vcd";
    }
}

}  // namespace
}  // namespace strata::test
