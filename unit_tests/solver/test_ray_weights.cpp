#include "core/solver/ray_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"
#include "geometries/parallel_scan.hpp"
#include "unit_tests/solver/huber_table.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata {
namespace {

using test::CtCase;

CtCase const& parallel() {
  static CtCase const ct("parallel_basic");
  return ct;
}

std::vector<float> filled(TomographyModel const& model, float value) {
  auto const& shape = model.sinogram_shape();
  return std::vector<float>(Index(shape.num_views) * shape.num_det_rows * shape.num_det_channels, value);
}

TEST(MetalWeights, RaysThroughMetalCountLess) {
  std::vector<float> first;
  for (int devices : {1, 2, 3}) {
    auto const model = parallel().model(devices);
    auto const& shape = model->recon_shape();
    std::vector<float> image(Index(shape.num_rows) * shape.num_cols * shape.num_slices, 0.01f);
    Index const middle = (Index(shape.num_rows / 2) * shape.num_cols + shape.num_cols / 2) * shape.num_slices;
    image[static_cast<std::size_t>(middle)] = 1;  // one voxel of metal, in slice 0
    image[static_cast<std::size_t>(middle) + 1] = 0.5f;
    auto const volume = model->make_volume("image");
    test::from_host(*model, image, volume);
    auto const y = model->make_sinogram("y");
    test::from_host(*model, filled(*model, 0.5f), y);
    auto const weights = model->make_sinogram("weights");
    test::poison(*model, weights, 7);
    double const threshold = metal_weights(*model, {2, 3, std::nullopt}, y, &volume, weights);
    EXPECT_GT(threshold, 0.5);
    EXPECT_LE(threshold, 1);
    auto const host = test::to_host(*model, weights);
    auto const plain = std::exp(-0.25f), metal = std::exp(-1.0f);
    int hit = 0;
    auto const& sino = model->sinogram_shape();
    for (std::size_t i = 0; i < host.size(); ++i) {
      bool const is_metal = std::abs(host[i] - metal) < 1e-6f;
      EXPECT_TRUE(is_metal || std::abs(host[i] - plain) < 1e-6f) << host[i];
      bool const row_zero = i / sino.num_det_channels % sino.num_det_rows == 0;
      EXPECT_TRUE(row_zero || !is_metal);
      hit += is_metal;
    }
    EXPECT_GE(hit, sino.num_views);  // each view sees the voxel
    EXPECT_LE(hit, 3 * sino.num_views);
    if (first.empty()) first = host;
    EXPECT_EQ(host, first) << devices;
  }
}

TEST(MetalWeights, WithoutAnImageTheLineIntegralDecides) {
  auto const model = parallel().model(2);
  auto values = filled(*model, 0.1f);
  values[3] = 1;
  values[4] = 5;
  auto const y = model->make_sinogram("y"), weights = model->make_sinogram("weights");
  test::from_host(*model, values, y);
  double const threshold = metal_weights(*model, {}, y, nullptr, weights);
  EXPECT_GT(threshold, 1);
  auto const host = test::to_host(*model, weights);
  EXPECT_FLOAT_EQ(host[3], std::exp(-1.0f));
  EXPECT_FLOAT_EQ(host[4], std::exp(-20.0f));
  EXPECT_THROW(metal_weights(*model, {0, 3, 1.0}, y, nullptr, weights), InputError);
  EXPECT_THROW(metal_weights(*model, {1, -1, 1.0}, y, nullptr, weights), InputError);
}

/// The scan of huber_table.hpp.
std::unique_ptr<TomographyModel> model_of_table(int devices) {
  GeometryParams params;
  params.sinogram = {test::huber::num_views, test::huber::num_det_rows, test::huber::num_det_channels};
  params.recon = {6, 6, test::huber::num_det_rows};
  auto const scan = make_parallel_scan(params, std::vector<double>(params.sinogram.num_views, 0.5));
  return std::make_unique<TomographyModel>(DeviceSet::virtual_devices(devices), scan, std::vector<bool>(36, true));
}

TEST(HuberWeights, AreThoseOfTheReferenceOnAnyNumberOfDevices) {
  for (int devices : {1, 2, 3, 5})
    for (int choice : {0, 1})
      for (std::size_t setting = 0; setting < test::huber::settings.size(); ++setting) {
        SCOPED_TRACE(testing::Message() << devices << " devices, weights " << choice << ", setting " << setting);
        auto const model = model_of_table(devices);
        std::vector<float> base, used, error;
        for (auto const& ray : test::huber::rays) {
          base.push_back(ray.weight[choice]);
          used.push_back(base.size() % 2 ? 0.5f : 4);  // weights of the run that left the error
          error.push_back(used.back() * ray.error);
        }
        auto const w = model->make_sinogram("w"), u = model->make_sinogram("u"),
                   robust = model->make_sinogram("robust");
        test::from_host(*model, base, w);
        test::from_host(*model, error, u);
        test::from_host(*model, used, robust);
        auto const [threshold, delta] = test::huber::settings[setting];
        double const share = huber_weights(*model, {threshold, delta}, w, u, robust);
        auto const host = test::to_host(*model, robust);
        double beyond = 0;
        for (std::size_t i = 0; i < host.size(); ++i) {
          float const expected = test::huber::rays[i].expected[choice][setting];
          ASSERT_NEAR(host[i], base[i] * expected, 1e-5 * base[i] * expected) << i;
          beyond += expected != 1;
        }
        EXPECT_NEAR(share, beyond / static_cast<double>(host.size()), 1e-12);
      }
}

TEST(HuberWeights, RaysOfWeightZeroDoNotTakePart) {
  auto const model = model_of_table(2);
  std::vector<float> base(test::huber::rays.size(), 1), error(base.size(), 0.1f);
  error[3] = 2;
  for (std::size_t i = 40; i < base.size(); ++i) base[i] = error[i] = 0;
  auto const w = model->make_sinogram("w"), u = model->make_sinogram("u"), robust = model->make_sinogram("robust");
  test::from_host(*model, base, w);
  test::from_host(*model, error, u);
  test::from_host(*model, base, robust);
  huber_weights(*model, {1, 1}, w, u, robust);
  auto const host = test::to_host(*model, robust);
  double const scale = std::sqrt((39 * 0.01 + 4) / 40);
  EXPECT_NEAR(host[3], scale / 2, 1e-5);
  EXPECT_EQ(host[4], 1);
  for (std::size_t i = 40; i < host.size(); ++i) EXPECT_EQ(host[i], 0);
}

TEST(HuberWeights, RefuseToLeaveNoRay) {
  auto const model = model_of_table(1);
  auto const w = model->make_sinogram("w"), u = model->make_sinogram("u"), robust = model->make_sinogram("robust");
  fill(model->sinogram_layout(), w, 1);
  fill(model->sinogram_layout(), u, 1);
  fill(model->sinogram_layout(), robust, 1);
  EXPECT_THROW(huber_weights(*model, {0.5, 0}, w, u, robust), InputError);
  EXPECT_THROW(huber_weights(*model, {0, 1}, w, u, robust), InputError);
  EXPECT_THROW(huber_weights(*model, {1, 1.5}, w, u, robust), InputError);
}

TEST(HuberWeights, WithAClippedScaleOutliersDoNotMoveTheThreshold) {
  std::vector<float> first;
  for (int devices : {1, 3, 5}) {
    auto const model = parallel().model(devices);
    auto base = filled(*model, 4);
    auto used = filled(*model, 2);   // weights of the run that left the error
    auto error = filled(*model, 0);  // these times e
    std::size_t const n = base.size();
    for (std::size_t i = 0; i < n; ++i) error[i] = (i % 2 ? 2.0f : -2.0f) * 0.1f;
    error[10] = 2 * 3.0f;
    base[20] = used[20] = 0;
    error[20] = 0;
    auto const w = model->make_sinogram("w"), u = model->make_sinogram("u"), robust = model->make_sinogram("robust");
    test::from_host(*model, base, w);
    test::from_host(*model, error, u);
    test::from_host(*model, used, robust);
    double const share = huber_weights(*model, {2, 0.5, true}, w, u, robust);
    EXPECT_NEAR(share, 1.0 / static_cast<double>(n - 1), 1e-12);
    double const mean_square = 4 * 0.01;  // of the rays that are no outliers
    double const expected = 4 * 0.5 * 2 * std::sqrt(mean_square) / (3.0 * 2);
    auto const host = test::to_host(*model, robust);
    EXPECT_NEAR(host[10], expected, 1e-5);
    EXPECT_EQ(host[11], 4);
    EXPECT_EQ(host[20], 0);
    if (first.empty()) first = host;
    EXPECT_EQ(host, first);
  }
}

TEST(LeaveOutRays, ClearsDeadPixelsAndMaskedViewsAndNothingElse) {
  for (int devices : {1, 2, 5}) {
    auto const model = parallel().model(devices);
    auto const& shape = model->sinogram_shape();
    auto const weights = model->make_sinogram("weights");
    test::from_host(*model, filled(*model, 2), weights);
    std::vector<bool> dead(static_cast<std::size_t>(shape.num_det_rows) * shape.num_det_channels);
    std::size_t const pixel = static_cast<std::size_t>(shape.num_det_channels) + 3;  // row 1, channel 3
    dead[pixel] = true;
    int const last = shape.num_views - 1;
    leave_out_rays(model->sinogram_layout(), dead, {last}, weights);
    auto const host = test::to_host(*model, weights);
    for (std::size_t i = 0; i < host.size(); ++i) {
      bool const gone = i % dead.size() == pixel || i / dead.size() == static_cast<std::size_t>(last);
      EXPECT_EQ(host[i], gone ? 0 : 2) << i;
    }
    EXPECT_THROW(leave_out_rays(model->sinogram_layout(), dead, {last + 1}, weights), InputError);
  }
}

}  // namespace
}  // namespace strata
