#include "core/solver/ramp_filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "core/placement/exchange_host.hpp"

namespace strata {
namespace {

std::vector<float> random_values(Index size) {
  std::mt19937 engine(7);
  std::vector<float> values(static_cast<std::size_t>(size));
  for (float& value : values) value = static_cast<float>(engine() % 2048) / 1024 - 1;
  return values;
}

/// sinogram [view][row][channel] filtered on `count` devices; every padded entry holds `padding` before.
std::vector<float> filtered(SinogramShape const& shape, DirectFilterParams const& params,
                            std::vector<float> const& values, int count, float padding = 0, bool in_place = false) {
  auto const devices = DeviceSet::virtual_devices(count);
  SinogramLayout const layout{SliceBlocks(shape.num_det_rows, count), shape.num_det_channels};
  auto const views = Placement::of_views(devices, shape.num_views);
  auto const sinogram = make_sinogram(views, layout.rows, shape.num_det_channels, "test::sinogram");
  for (auto const& shard : sinogram.shards) Kokkos::deep_copy(shard, padding);
  Kokkos::fence("test: padding");
  auto const result = in_place ? sinogram : make_sinogram(views, layout.rows, shape.num_det_channels, "test::filtered");
  HostExchange const exchange(devices, shape.size());
  exchange.put_views(sinogram, layout, {0, shape.num_views}, values);

  RampFilter(shape, layout, params).apply(sinogram, result);

  std::vector<float> out(values.size());
  exchange.get_views(result, layout, {0, shape.num_views}, out);
  return out;
}

/// The definition: scale pi / views * sum over n' of h[n - n'] w y, in double, with h of Kak and Slaney, eq. 3.61.
std::vector<double> convolved(SinogramShape const& shape, DirectFilterParams const& params,
                              std::vector<float> const& values) {
  int const channels = shape.num_det_channels;
  auto const kernel = [](int q) {
    if (q == 0) return 0.25;
    return q % 2 == 0 ? 0.0 : -1 / (std::numbers::pi * std::numbers::pi * q * q);
  };
  std::vector<double> out(values.size());
  for (std::size_t line = 0; line * channels < values.size(); ++line)
    for (int n = 0; n < channels; ++n) {
      double sum = 0;
      for (int m = 0; m < channels; ++m) {
        std::size_t const row = line % static_cast<std::size_t>(shape.num_det_rows);
        double const weight = params.det_weights.empty() ? 1 : params.det_weights[row * channels + m];
        sum += kernel(n - m) * weight * values[line * channels + m];
      }
      out[line * channels + n] = params.scale * std::numbers::pi / shape.num_views * sum;
    }
  return out;
}

void expect_close(std::vector<float> const& values, std::vector<double> const& expected) {
  double largest = 0;
  for (double const value : expected) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 0);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], 2e-6 * largest) << "at " << i;
}

TEST(RampFilter, IsALinearConvolutionForAnyNumberOfChannels) {
  for (int const channels : {1, 2, 3, 5, 7, 16, 17, 31, 63, 64, 97, 129}) {
    SCOPED_TRACE(channels);
    SinogramShape const shape{3, 5, channels};
    DirectFilterParams const params{0.7, {}, {}};
    auto const values = random_values(shape.size());

    expect_close(filtered(shape, params, values, 1), convolved(shape, params, values));
  }
}

TEST(RampFilter, MultipliesByTheDetectorWeightsFirst) {
  SinogramShape const shape{4, 19, 23};
  DirectFilterParams params{1.3, {}, {}};
  for (int i = 0; i < 19 * 23; ++i) params.det_weights.push_back(1 / static_cast<float>(1 + i % 7));
  auto const values = random_values(shape.size());

  expect_close(filtered(shape, params, values, 1), convolved(shape, params, values));
  expect_close(filtered(shape, params, values, 3), convolved(shape, params, values));
}

TEST(RampFilter, APointSpreadsOverTheWholeRowWithoutWrappingAround) {
  SinogramShape const shape{1, 1, 50};
  std::vector<float> values(50, 0);
  values[0] = 1;

  auto const out = filtered(shape, {1, {}, {}}, values, 1);

  EXPECT_NEAR(out[0], std::numbers::pi / 4, 1e-6);
  EXPECT_NEAR(out[49], -1 / (std::numbers::pi * 49 * 49), 1e-6);
  EXPECT_NEAR(out[48], 0, 1e-6);
}

TEST(RampFilter, GivesTheSameBitsOnAnyNumberOfDevicesAndInPlace) {
  for (SinogramShape const shape : {SinogramShape{13, 11, 37}, SinogramShape{2, 70, 8}, SinogramShape{1, 1, 3}}) {
    auto const values = random_values(shape.size());
    auto const one = filtered(shape, {1, {}, {}}, values, 1);
    for (int const devices : {2, 3, 5, 7}) EXPECT_EQ(filtered(shape, {1, {}, {}}, values, devices), one) << devices;
    EXPECT_EQ(filtered(shape, {1, {}, {}}, values, 1, 0, true), one);
    EXPECT_EQ(filtered(shape, {1, {}, {}}, values, 3, 0, true), one);
  }
}

TEST(RampFilter, NoRowTouchesAnother) {
  SinogramShape const shape{2, 19, 40};
  auto const values = random_values(shape.size());
  auto const clean = filtered(shape, {1, {}, {}}, values, 1);
  int const dead = 7 * shape.num_det_channels;  // row 7 of view 0
  for (float const value : {std::numeric_limits<float>::quiet_NaN(), 1e30F}) {
    auto spoilt = values;
    for (int c = 0; c < shape.num_det_channels; ++c) spoilt[dead + c] = value;
    auto result = filtered(shape, {1, {}, {}}, spoilt, 1);
    for (int c = 0; c < shape.num_det_channels; ++c) {
      EXPECT_NE(result[dead + c], clean[dead + c]);
      result[dead + c] = clean[dead + c];
    }
    EXPECT_EQ(result, clean);
  }
}

/// What is left of a constant is a thousandth of it: low frequencies must not drown in the rounding of the others.
TEST(RampFilter, AConstantRowComesOutRight) {
  SinogramShape const shape{1, 1, 500};
  std::vector<float> const values(500, 1);
  auto const out = filtered(shape, {1, {}, {}}, values, 1);
  auto const expected = convolved(shape, {1, {}, {}}, values);
  double error = 0;
  for (int c = 100; c < 400; ++c) {
    ASSERT_LT(std::abs(expected[c]), 4e-3);
    ASSERT_NEAR(out[c], expected[c], 2e-4 * expected[c]) << c;
    error += out[c] / expected[c] - 1;
  }
  EXPECT_NEAR(error / 300, 0, 2e-5);
}

TEST(RampFilter, DoesNotReadPadding) {
  SinogramShape const shape{5, 18, 21};
  auto const values = random_values(shape.size());

  auto const clean = filtered(shape, {1, {}, {}}, values, 3);

  EXPECT_EQ(filtered(shape, {1, {}, {}}, values, 3, std::numeric_limits<float>::quiet_NaN()), clean);
  EXPECT_EQ(filtered(shape, {1, {}, {}}, values, 3, 1e30f), clean);
}

TEST(RampFilter, KernelIsEvenAndSumsToNearlyNothing) {
  auto const kernel = ramp_kernel(4000, 2);

  double sum = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    EXPECT_EQ(kernel[i], kernel[kernel.size() - 1 - i]);
    sum += kernel[i];
  }
  EXPECT_NEAR(sum, 0, 2e-4);  // the ramp is 0 at frequency 0; what is cut off is 2 * 2 / (pi^2 4000)
  EXPECT_DOUBLE_EQ(kernel[3999], 0.5);
}

}  // namespace
}  // namespace strata
