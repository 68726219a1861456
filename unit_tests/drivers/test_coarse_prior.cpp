// Proximal maps that begin on coarse grids.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/solver/coarse_levels.hpp"
#include "core/solver/coarse_sinogram.hpp"
#include "core/solver/coarse_start.hpp"
#include "core/solver/objective.hpp"
#include "core/solver/resample_image.hpp"
#include "core/solver/vcd_reconstruction.hpp"
#include "drivers/support/coarse_prior.hpp"
#include "geometries/cone_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "prior/proximal.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

std::vector<bool> everywhere(ReconShape const& shape) {
  return std::vector<bool>(static_cast<std::size_t>(shape.num_pixels()), true);
}

double prior_value(TomographyModel const& model, Prior const& prior, ShardedVolume const& image) {
  auto const no_error = model.make_sinogram("test::no_error");
  return ObjectiveSums(model, prior, 1, 0).measure(image, no_error, nullptr).value;
}

/// A wide blob, zero at the edges.
ShardedVolume blob(TomographyModel const& model) {
  ReconShape const& shape = model.recon_shape();
  std::vector<float> values;
  for (int i = 0; i < shape.num_rows; ++i)
    for (int j = 0; j < shape.num_cols; ++j)
      for (int k = 0; k < shape.num_slices; ++k) {
        double const r = i - 0.45 * shape.num_rows, c = j - 0.55 * shape.num_cols, s = k - 0.5 * shape.num_slices;
        values.push_back(float(std::exp(-(r * r + c * c + s * s) / 64)));
      }
  auto const image = model.make_volume("test::blob");
  from_host(model, values, image);
  return image;
}

/// Of 48 x 48 x 48 voxels.
std::shared_ptr<Geometry const> scan(bool cone) {
  GeometryParams params;
  params.sinogram = {4, 48, 48};
  params.recon = {48, 48, 48};
  if (!cone) return make_parallel_scan(params, {0, 0.5, 1, 1.5});
  params.delta_voxel = 0.5;
  return make_cone_scan({params, {0, 1.5, 3, 4.5}, {}, 200, 100});
}

TEST(CoarseProximal, HasTheValueOfTheFinePriorForSmoothImages) {
  for (bool const cone : {false, true})
    for (int const factor : {2, 4}) {
      SCOPED_TRACE(testing::Message() << (cone ? "cone" : "parallel") << ", factor " << factor);
      auto const geometry = scan(cone);
      auto const coarse_geometry = geometry->coarsened(factor);
      auto const devices = DeviceSet::virtual_devices(2);
      TomographyModel const fine(devices, geometry, everywhere(geometry->params().recon));
      TomographyModel const coarse(devices, coarse_geometry, everywhere(coarse_geometry->params().recon));
      int const slices = fine.recon_shape().num_slices / coarse.recon_shape().num_slices;
      EXPECT_EQ(slices, cone ? factor : 1);
      CoarseGrid const grid{*geometry, coarse, factor, slices};
      auto const input = blob(fine);
      auto const nothing = fine.make_volume("test::nothing");

      double const expected = prior_value(fine, *make_proximal_prior(input, 0.1), nothing);
      CoarsePrior const prior = coarse_proximal(input, 0.1, grid);
      double const found = prior.weight * prior_value(coarse, *prior.prior, resampled_onto(grid, nothing));

      EXPECT_NEAR(found / expected, 1, factor == 2 ? 0.05 : 0.2);
      EXPECT_EQ(prior_value(coarse, *prior.prior, resampled_onto(grid, input)), 0);
    }
}

/// The mask of a golden scan; `cut`: without the last third of the rows.
std::vector<bool> mask_of(CtCase const& golden, bool cut) {
  std::vector<bool> mask = golden.mask();
  auto const& shape = golden.geometry()->params().recon;
  for (std::size_t p = 0; cut && p < mask.size(); ++p)
    if (static_cast<int>(p) / shape.num_cols > 2 * shape.num_rows / 3) mask[p] = false;
  return mask;
}

/// A noisy golden scan.
struct Scan {
  explicit Scan(char const* name, int devices = 1, bool cut = false)
      : golden(name), model(DeviceSet::virtual_devices(devices), golden.geometry(), mask_of(golden, cut)) {}

  double number(char const* attribute) const { return golden.file().number_attribute("/runs/noisy", attribute); }

  CtCase golden;
  TomographyModel model;
  ShardedSinogram sinogram = golden.sinogram(model, "/runs/noisy/sinogram");
  ShardedSinogram weights = golden.sinogram(model, "/runs/noisy/weights");
  double sigma_y = number("sigma_y"), sigma_prox = number("sigma_x");
};

/// What many passes on the grid of factor 2 find.
std::vector<float> coarse_minimum(Scan const& from, std::function<CoarsePrior(CoarseGrid const&)> const& make_prior,
                                  std::vector<float>* input_there, ShardedVolume const& input) {
  TomographyModel const& fine = from.model;
  auto const geometry = fine.geometry().coarsened(2);
  auto const mask = coarse_mask(fine.mask(), fine.recon_shape(), geometry->params().recon, 2);
  TomographyModel const model(fine.device_set(), geometry, mask);
  PreparedScan coarse = coarse_scan(PreparedScan(fine, from.sinogram, from.weights), model, 2);
  int const slices = model.recon_shape().num_slices < fine.recon_shape().num_slices ? 2 : 1;
  CoarseGrid const grid{fine.geometry(), model, 2, slices};
  CoarsePrior const prior = make_prior(grid);
  VCDOptions options;
  options.sigma_y = from.sigma_y * std::sqrt(prior.weight);
  auto pixels = model.masked_pixels().host;
  std::sort(pixels.begin(), pixels.end());
  VCDReconstruction reconstruction(coarse, *prior.prior, coarse_options(options),
                                   make_schedule({{8}, {0}, 60}, pixels));
  reconstruction.start_direct();
  reconstruction.iterate();
  *input_there = to_host(model, resampled_onto(grid, input));
  return to_host(model, reconstruction.image());
}

TEST(CoarseProximal, IsTheInputWhereSigmaProxIsTinyAndFitsTheDataWhereItIsHuge) {
  for (char const* name : {"cone_odd_offsets", "parallel_limited_angle"}) {
    SCOPED_TRACE(name);
    Scan const from(name);
    auto const input = blob(from.model);
    std::vector<float> expected;
    auto const proximal = [&](double sigma) {
      return coarse_minimum(
          from, [&](CoarseGrid const& grid) { return coarse_proximal(input, sigma, grid); }, &expected, input);
    };
    auto const tiny = proximal(1e-6 * from.sigma_prox);
    EXPECT_LT(nrmse(tiny, expected), 1e-5);

    QGGMRFParams flat;
    flat.sigma_x = 1e5 * from.sigma_prox;
    auto const data_fit = coarse_minimum(
        from, [&](CoarseGrid const& grid) { return coarse_qggmrf(flat, grid); }, &expected, input);
    auto const huge = proximal(1e5 * from.sigma_prox);
    EXPECT_LT(nrmse(huge, data_fit), 0.02);
    EXPECT_GT(nrmse(huge, expected), 0.5);
  }
}

struct Started {
  CoarseStartResult result;
  std::vector<float> image;
  double objective = 0, direct_objective = 0;
  bool zero_outside = true;
};

/// target = image without its detail.
void blur(TomographyModel const& model, ShardedVolume const& image, ShardedVolume const& target) {
  ReconShape const& shape = model.recon_shape();
  ReconShape const half{(shape.num_rows + 1) / 2, (shape.num_cols + 1) / 2, shape.num_slices};
  auto const coarse =
      make_volume(Placement::of_slices(model.device_set(), half.num_slices), half.num_pixels(), "test::blurred");
  resample_image(rows_of(image, shape), {2, 2, 1}, half, coarse);
  resample_image(rows_of(coarse, half), {0.5, 0.5, 1}, shape, target);
}

/// The start of a proximal map about the blurred direct image.
Started start(char const* name, int devices, bool masked, bool positivity) {
  Scan const from(name, devices, masked);
  TomographyModel const& model = from.model;
  PreparedScan scan(model, from.sinogram, from.weights);
  auto const image = model.make_volume("test::image");
  auto const input = model.make_volume("test::input");
  auto const error = model.make_sinogram("test::error");
  StartArrays const arrays{from.sinogram, scan.weights(), model.make_sinogram("test::projected"), image, error};
  start_from(model, InitialImage::direct, positivity, arrays);
  blur(model, image, input);
  auto const prior = make_proximal_prior(input, from.sigma_prox);
  ObjectiveSums sums(model, *prior, from.sigma_y, 0);
  Started started;
  started.direct_objective = sums.measure(image, error, scan.weights()).value;
  CoarseStartOptions options;
  options.vcd.sigma_y = from.sigma_y;
  options.vcd.positivity_flag = positivity;
  options.make_prior = [&](CoarseGrid const& grid) { return coarse_proximal(input, from.sigma_prox, grid); };
  started.result = coarse_start(scan, *prior, options, image);
  start_from(model, InitialImage::given, positivity, arrays);
  started.objective = sums.measure(image, error, scan.weights()).value;
  started.image = to_host(model, image);
  Index const slices = model.recon_shape().num_slices;
  for (std::size_t i = 0; i < started.image.size(); ++i)
    started.zero_outside = started.zero_outside && (model.mask()[i / slices] || started.image[i] == 0);
  return started;
}

TEST(CoarseProximal, StartsBelowTheDirectImageAndTheSameOnAnyNumberOfDevices) {
  for (char const* name : {"cone_offset_limited", "parallel_limited_angle"})
    for (bool const masked : {false, true})
      for (bool const positivity : {false, true}) {
        SCOPED_TRACE(testing::Message() << name << ", masked " << masked << ", positivity " << positivity);
        Started const one = start(name, 1, masked, positivity);
        EXPECT_LT(one.objective, 0.8 * one.direct_objective);
        EXPECT_TRUE(one.result.better());
        for (int const devices : {2, 3}) EXPECT_EQ(start(name, devices, masked, positivity).image, one.image);
        EXPECT_TRUE(one.zero_outside);
      }
}

}  // namespace
}  // namespace strata::test
