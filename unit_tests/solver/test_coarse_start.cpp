#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/solver/coarse_sinogram.hpp"
#include "core/solver/coarse_start.hpp"
#include "core/solver/resample_image.hpp"
#include "core/solver/vcd_start.hpp"
#include "geometries/cone_scan.hpp"
#include "geometries/multiaxis_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/solver/accelerated_case.hpp"

namespace strata::test {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<double> angles(int count, double span) {
  std::vector<double> values;
  for (int v = 0; v < count; ++v) values.push_back(span * v / count);
  return values;
}

/// Sizes that two does not divide, an axis beside the detector's middle.
GeometryParams odd_params(int views, double magnification) {
  GeometryParams params;
  params.sinogram = {views, 21, 45};
  params.recon = {41, 43, 21};
  params.det_channel_offset = 1.5;
  params.delta_voxel = 1 / magnification;
  return params;
}

std::shared_ptr<Geometry const> scan(std::string const& type, int views = 24, double span = 2 * pi) {
  if (type == "parallel") return make_parallel_scan(odd_params(views, 1), angles(views, span));
  if (type == "multiaxis") {
    MultiAxisScanParams multiaxis{odd_params(views, 1), angles(views, span), std::vector<double>(views, 0.4), false};
    multiaxis.common.det_row_offset = 0.8;
    return make_multiaxis_scan(multiaxis);
  }
  ConeScanParams cone;
  cone.common = odd_params(views, 2);
  cone.common.det_row_offset = 0.8;
  cone.angles = angles(views, span);
  cone.source_detector_dist = 200;
  cone.source_iso_dist = 100;
  return make_cone_scan(cone);
}

TEST(ReasonForACoarseStart, IsTheGeometryTheAngleOrTheFewViews) {
  EXPECT_EQ(reason_for_coarse_start(*scan("parallel", 90, pi)), "");
  EXPECT_EQ(reason_for_coarse_start(*scan("parallel", 90, 2 * pi)), "");
  EXPECT_EQ(reason_for_coarse_start(*scan("parallel", 60, 2 * pi / 3)), "limited angle");
  EXPECT_EQ(reason_for_coarse_start(*scan("parallel", 14, pi)), "few views");
  EXPECT_EQ(reason_for_coarse_start(*scan("cone", 60)), "cone geometry");
  EXPECT_EQ(coarse_factors(*scan("cone")), (std::vector<int>{4, 2}));
}

class CoarseScan : public testing::TestWithParam<char const*> {};

/// A wide blob off the centre, zero at the edges: [row][col][slice].
std::vector<float> blob(ReconShape const& shape) {
  std::vector<float> values;
  for (int i = 0; i < shape.num_rows; ++i)
    for (int j = 0; j < shape.num_cols; ++j)
      for (int k = 0; k < shape.num_slices; ++k) {
        double const r = (i - 0.42 * shape.num_rows) / 6, c = (j - 0.6 * shape.num_cols) / 7;
        double const s = (k - 0.55 * shape.num_slices) / 4;
        values.push_back(float(std::exp(-(r * r + c * c + s * s))));
      }
  return values;
}

TEST_P(CoarseScan, SeesWhatTheFineScanSees) {
  auto const geometry = scan(GetParam());
  auto const coarse_geometry = geometry->coarsened(2);
  auto const every = [](ReconShape const& shape) {
    return std::vector<bool>(static_cast<std::size_t>(shape.num_pixels()), true);
  };
  for (int const devices : {1, 3}) {
    TomographyModel const fine(DeviceSet::virtual_devices(devices), geometry, every(geometry->params().recon));
    TomographyModel const coarse(fine.device_set(), coarse_geometry, every(coarse_geometry->params().recon));
    auto const image = fine.make_volume("test::fine");
    from_host(fine, blob(fine.recon_shape()), image);
    auto const sinogram = fine.make_sinogram("test::sinogram");
    fine.forward_project(image, sinogram);
    auto const coarse_image = coarse.make_volume("test::coarse");
    bool const slices = coarse.recon_shape().num_slices < fine.recon_shape().num_slices;
    resample_image(rows_of(image, fine.recon_shape()), {2, 2, slices ? 2.0 : 1.0}, coarse.recon_shape(), coarse_image);
    auto const expected = coarse.make_sinogram("test::expected");
    coarse.forward_project(coarse_image, expected);

    PreparedScan const binned = coarse_scan(PreparedScan(fine, sinogram), coarse, 2);

    double const difference = nrmse(to_host(coarse, binned.sinogram()), to_host(coarse, expected));
    EXPECT_LT(difference, 0.04) << devices << " devices";
    RecordProperty("difference", std::to_string(difference));
  }
}

INSTANTIATE_TEST_SUITE_P(Geometries, CoarseScan, testing::Values("parallel", "cone", "multiaxis"));

struct Started {
  std::vector<float> image;
  double objective = 0, direct_objective = 0;
  bool zero_outside = true;
};

Started start(char const* name, int devices, bool weighted, bool positivity) {
  CtCase const golden(name);
  auto const model = golden.model(devices);
  auto const y = golden.sinogram(*model, "/runs/noisy/sinogram");
  auto const w = weighted ? std::optional(golden.sinogram(*model, "/runs/noisy/weights")) : std::nullopt;
  PreparedScan scan(*model, y, w);
  QGGMRFParams params;
  params.sigma_x = golden.file().number_attribute("/runs/noisy", "sigma_x");
  auto const prior = make_qggmrf_prior(params);
  CoarseStartOptions options;
  options.vcd.sigma_y = golden.file().number_attribute("/runs/noisy", "sigma_y");
  options.vcd.positivity_flag = positivity;
  options.make_prior = [&](CoarseGrid const& grid) {
    return CoarsePrior{make_qggmrf_prior(params), double(grid.factor) * grid.slice_factor};
  };
  auto const image = model->make_volume("test::image");
  coarse_start(scan, *prior, options, image);
  Started started;
  started.image = to_host(*model, image);
  Index const slices = model->recon_shape().num_slices;
  for (std::size_t i = 0; i < started.image.size(); ++i)
    started.zero_outside = started.zero_outside && (model->mask()[i / slices] || started.image[i] == 0);
  if (devices > 1) return started;
  auto const objective = [&](InitialImage initial) {
    auto const error = model->make_sinogram("test::error");
    start_from(*model, initial, positivity, {y, scan.weights(), model->make_sinogram("test::scratch"), image, error});
    return objective_of(*model, *prior, options.vcd.sigma_y, image, error, scan.weights());
  };
  started.objective = objective(InitialImage::given);
  started.direct_objective = objective(InitialImage::direct);
  return started;
}

TEST(CoarseStart, IsNeverAboveTheDirectImageAndIsTheSameOnAnyNumberOfDevices) {
  for (char const* name : {"cone_odd_offsets", "parallel_limited_angle"})
    for (bool const weighted : {false, true})
      for (bool const positivity : {false, true}) {
        SCOPED_TRACE(testing::Message() << name << ", weights " << weighted << ", positivity " << positivity);
        Started const one = start(name, 1, weighted, positivity);
        Started const three = start(name, 3, weighted, positivity);

        EXPECT_LE(one.objective, one.direct_objective * (1 + 1e-6));
        if (std::string(name) == "parallel_limited_angle") {
          EXPECT_LT(one.objective, 0.9 * one.direct_objective);
        }
        EXPECT_TRUE(one.zero_outside);
        EXPECT_EQ(three.image, one.image);
      }
}

}  // namespace
}  // namespace strata::test
