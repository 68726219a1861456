#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "drivers/support/phantom.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

std::vector<float> whole(Phantom const& phantom, ReconShape const& shape) {
  std::vector<float> volume(static_cast<std::size_t>(shape.size()));
  phantom.fill({0, shape.num_slices}, volume);
  return volume;
}

TEST(Phantom, SheppLoganIsThatOfTheReference) {
  ReconShape const shape{128, 128, 64};
  std::vector<float> const volume = whole(Phantom(PhantomKind::shepp_logan, shape), shape);
  auto const expected = golden::read("mid_parallel.h5", "phantom").values;
  double const scale = *std::ranges::max_element(expected);

  std::vector<double> scaled;
  for (float const value : volume) scaled.push_back(scale * value);

  // The stored phantom is rounded to a fine grid.
  EXPECT_LT(golden::nrmse(scaled, expected), 2e-3);
  EXPECT_LT(golden::max_relative(scaled, expected), 2e-3);
}

TEST(Phantom, SlabsAreCutFromTheSameVolume) {
  ReconShape const shape{13, 18, 11};
  for (PhantomKind const kind :
       {PhantomKind::shepp_logan, PhantomKind::shepp_logan_reference, PhantomKind::cube, PhantomKind::dots}) {
    Phantom const phantom(kind, shape, 0.2);
    std::vector<float> const volume = whole(phantom, shape);
    EXPECT_GT(std::accumulate(volume.begin(), volume.end(), 0.0), 0.0);
    for (Range const slices : {Range{0, 1}, Range{1, 6}, Range{6, 11}}) {
      std::vector<float> slab(static_cast<std::size_t>(shape.num_pixels() * slices.size()), -1.0f);
      phantom.fill(slices, slab);
      for (Index pixel = 0; pixel < shape.num_pixels(); ++pixel)
        for (int k = slices.begin; k < slices.end; ++k)
          ASSERT_EQ(slab[static_cast<std::size_t>(pixel * slices.size() + k - slices.begin)],
                    volume[static_cast<std::size_t>(pixel * shape.num_slices + k)]);
    }
  }
}

TEST(Phantom, KakSlaneySheppLoganHasItsKnownValues) {
  ReconShape const shape{201, 201, 201};
  Phantom const phantom(PhantomKind::shepp_logan_reference, shape);
  std::vector<float> slice(static_cast<std::size_t>(shape.num_pixels()));
  auto const value = [&](double x, double y, double z) {
    phantom.fill({static_cast<int>(std::lround((z + 1) * 100)), static_cast<int>(std::lround((z + 1) * 100)) + 1},
                 slice);
    return slice[static_cast<std::size_t>(std::lround((x + 1) * 100) * 201 + std::lround((1 - y) * 100))];
  };
  EXPECT_NEAR(value(0, 0.9, 0), 2.0, 1e-6);        // skull
  EXPECT_NEAR(value(0, 0, -0.25), 1.02, 1e-6);     // brain
  EXPECT_NEAR(value(-0.22, 0, -0.25), 1.0, 1e-6);  // one ventricle
  EXPECT_NEAR(value(0, 0.4, -0.25), 1.04, 1e-6);   // the large ellipsoid, on the positive side
  EXPECT_NEAR(value(0, -0.4, -0.25), 1.02, 1e-6);  // and nothing opposite
  EXPECT_NEAR(value(0.95, 0.95, 0), 0.0, 1e-6);
}

TEST(Phantom, CubeIsAQuarterWideAndMovesAlongTheColumns) {
  ReconShape const shape{16, 24, 12};
  std::vector<float> const volume = whole(Phantom(PhantomKind::cube, shape), shape);
  for (int k = 0; k < 12; ++k) {
    int const shift = k * 6 / 12;
    for (int row = 0; row < 16; ++row)
      for (int col = 0; col < 24; ++col) {
        bool const inside = row >= 6 && row < 10 && col >= 9 + shift && col < 15 + shift;
        ASSERT_FLOAT_EQ(volume[static_cast<std::size_t>((row * 24 + col) * 12 + k)], inside ? 1.0f / 6 : 0.0f);
      }
  }
}

TEST(Phantom, DotsFillTheInnerRowsAtTheGivenRate) {
  ReconShape const shape{13, 20, 30};
  std::vector<float> const volume = whole(Phantom(PhantomKind::dots, shape, 0.1), shape);
  for (int row = 0; row < 13; ++row) {
    auto const begin = volume.begin() + row * 600;
    EXPECT_EQ(std::count(begin, begin + 600, 1.0f), row >= 2 && row < 11 ? 60 : 0) << row;
  }
  EXPECT_EQ(whole(Phantom(PhantomKind::dots, shape, 0.1), shape), volume);
  EXPECT_NE(whole(Phantom(PhantomKind::dots, shape, 0.1, 43), shape), volume);
}

TEST(Phantom, AxisOfOneVoxelLiesInTheMiddle) {
  ReconShape const shape{33, 33, 1};
  std::vector<float> const flat = whole(Phantom(PhantomKind::shepp_logan, shape), shape);
  EXPECT_GT(*std::ranges::max_element(flat), 0.9f);
}

TEST(Phantom, RefusesUnknownNamesAndEmptyShapes) {
  EXPECT_THROW(parse_phantom("shep_logan"), InputError);
  EXPECT_EQ(parse_phantom("cube"), PhantomKind::cube);
  EXPECT_THROW(Phantom(PhantomKind::cube, {4, 0, 4}), InputError);
  EXPECT_THROW(Phantom(PhantomKind::dots, {4, 4, 4}, 1.5), InputError);
}

TEST(SheppLoganScale, MakesTheCentralRayAboutAsDenseAsAsked) {
  EXPECT_NEAR(shepp_logan_scale({100, 100, 50}, 2.0), 2.0 / (0.28 * 92), 1e-12);
}

TEST(CountingNoise, HasTheMeanAndSpreadOfCounts) {
  std::size_t const n = 20000;
  std::vector<float> sinogram(n, 1.0f);
  std::vector<float> weights(n);

  CountingNoise(5000, 7).apply(sinogram, weights);

  double const expected = 5000 * std::exp(-1.0);
  double sum = 0, squares = 0, line_integrals = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double const count = 5000.0 * weights[i];
    sum += count;
    squares += (count - expected) * (count - expected);
    line_integrals += sinogram[i];
    ASSERT_NEAR(sinogram[i], -std::log(weights[i]), 1e-5);
  }
  EXPECT_NEAR(sum / double(n), expected, 5 * std::sqrt(expected / double(n)));
  EXPECT_NEAR(squares / double(n) / expected, 1, 0.05);
  EXPECT_NEAR(line_integrals / double(n), 1, 0.002);
}

TEST(CountingNoise, DoesNotDependOnHowTheSinogramIsCut) {
  std::vector<float> all(1000), parts(1000), none;
  for (std::size_t i = 0; i < 1000; ++i) all[i] = parts[i] = static_cast<float>(i) * 0.005f;
  CountingNoise(1e4, 1).apply(all, none);
  CountingNoise noise(1e4, 1);
  noise.apply(std::span(parts).first(333), none);
  noise.apply(std::span(parts).subspan(333), none);
  EXPECT_EQ(all, parts);
}

TEST(CountingNoise, RaysWithoutCountsStayFinite) {
  std::vector<float> sinogram(50, 40.0f), weights(50);
  sinogram[0] = 1e30f;
  CountingNoise(100, 1).apply(sinogram, weights);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_FLOAT_EQ(sinogram[i], std::log(200.0f));
    EXPECT_EQ(weights[i], 0);
  }
}

TEST(CountingNoise, RefusesImpossibleValues) {
  EXPECT_THROW(CountingNoise(0, 1), InputError);
  std::vector<float> bad{-1000.0f}, none;
  EXPECT_THROW(CountingNoise(10, 1).apply(bad, none), InputError);
  bad = {std::nanf("")};
  EXPECT_THROW(CountingNoise(10, 1).apply(bad, none), InputError);
}

}  // namespace
}  // namespace strata
