#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/base/error.hpp"
#include "prior/power_table.hpp"
#include "prior/qggmrf.hpp"
#include "prior/qggmrf_potential.hpp"
#include "unit_tests/prior/sharded_prior.hpp"
#include "unit_tests/reference/qggmrf_reference.hpp"

namespace strata {
namespace {

using testing_prior::Result;
using testing_prior::Volume;

/// The table's power of `a`, evaluated as the kernels do.
template <int degree>
float power(PowerTable<degree> const& table, float a) {
  auto const bits = std::bit_cast<std::uint32_t>(a);
  float const z = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f800000u) - 1.5f;
  float polynomial = table.coefficients[degree];
  for (int k = degree - 1; k >= 0; --k) polynomial = polynomial * z + table.coefficients[k];
  return table.low[(bits >> 23) & 15] * table.high[bits >> 27] * polynomial;
}

template <int degree>
double largest_error(double exponent, double scale) {
  PowerTable<degree> const table(exponent, scale);
  double largest = 0;
  for (double a = 1e-8; a < 1e6; a *= 1.00037) {
    double const expected = scale * std::pow(static_cast<float>(a), exponent);
    largest = std::max(largest, std::abs(power(table, static_cast<float>(a)) / expected - 1));
  }
  return largest;
}

TEST(PowerTable, RelativeErrorOfATailIsBelow1e6) {
  for (double const exponent : {0.0, 0.1, 0.3, 0.5, 0.75, 0.8, 0.95, 1.0, 1.3, 1.5, 2.0})
    EXPECT_LT(largest_error<6>(exponent, 3.7), 1e-6) << exponent;
}

TEST(PowerTable, RelativeErrorOfANegativePowerIsBelow1e6) {
  for (double const exponent : {-0.01, -0.2, -0.5, -0.9, -1.0, -1.5, -1.9})
    EXPECT_LT(largest_error<9>(exponent, 0.2), 1e-6) << exponent;
}

/// As the prior uses a table: of (a / unit)^exponent, from the smallest difference that it tells from 0 on.
template <int degree>
double largest_error_in_unit(double exponent, double unit) {
  PowerTable<degree> const table(exponent, std::pow(unit, -exponent));
  double largest = 0;
  for (double x = 1.2e-7; x < 1e7; x *= 1.00037) {
    auto const a = static_cast<float>(x * unit);
    largest = std::max(largest, std::abs(power(table, a) / std::pow(a / unit, exponent) - 1));
  }
  return largest;
}

TEST(PowerTable, RelativeErrorDoesNotDependOnTheUnitOfTheImage) {
  for (double const unit : {1e-24, 3e-10, 1.0, 7e9, 1e24}) {
    for (double const exponent : {0.3, 0.8, 1.0, 1.7, 2.0})
      EXPECT_LT(largest_error_in_unit<6>(exponent, unit), 2e-6) << exponent << ", unit " << unit;
    for (double const exponent : {-0.2, -1.0, -1.9})
      EXPECT_LT(largest_error_in_unit<9>(exponent, unit), 2e-6) << exponent << ", unit " << unit;
  }
}

TEST(QGGMRFPotential, CurvatureTimesDifferenceIsTheDerivativeOfTheValue) {
  for (QGGMRFParams const& params : {QGGMRFParams{2, 1.2, 1, 0.1, {}}, QGGMRFParams{1.8, 1.05, 0.5, 0.03, {}}}) {
    QGGMRFPotential const potential(params);
    for (double const d : {-3.0, -0.2, -0.01, 1e-4, 0.05, 0.5, 20.0}) {
      double const step = 1e-5 * std::abs(d);
      double const slope =
          (reference::qggmrf_value(params, d + step) - reference::qggmrf_value(params, d - step)) / (2 * step);

      EXPECT_NEAR(potential.curvature(static_cast<float>(d)) * d, slope, 2e-6 * std::abs(slope)) << d;
      EXPECT_NEAR(potential.value(static_cast<float>(d)), reference::qggmrf_value(params, d),
                  2e-6 * reference::qggmrf_value(params, d))
          << d;
    }
  }
}

/// rho(d0) + c(d0) (d^2 - d0^2) / 2 >= rho(d): the surrogate lies above and touches at d0 and -d0.
TEST(QGGMRFPotential, SurrogateCurvatureMajorises) {
  for (QGGMRFParams const& params : {QGGMRFParams{2, 1.2, 1, 0.1, {}}, QGGMRFParams{2, 1, 1, 0.1, {}},
                                     QGGMRFParams{1.8, 1.05, 0.5, 0.03, {}}, QGGMRFParams{2, 0, 1, 0.2, {}}}) {
    QGGMRFPotential const potential(params);
    for (double const at : {1e-3, 0.02, 0.1, 0.4, 3.0})
      for (double d = -5; d <= 5; d += 0.037) {
        double const bound =
            reference::qggmrf_value(params, at) + 0.5 * potential.curvature(static_cast<float>(at)) * (d * d - at * at);
        double const value = reference::qggmrf_value(params, d);
        EXPECT_GE(bound, value - 2e-6 * (std::abs(bound) + value)) << "at " << at << ", d " << d;
      }
  }
}

/// With the curvature doubled, a diagonal bounds the coupled surrogate: (a - b)^2 <= 2 a^2 + 2 b^2.
TEST(QGGMRFPrior, StepOfTheDiagonalSurrogateLowersTheLoss) {
  ReconShape const shape{7, 6, 20};
  Volume const x = testing_prior::random_volume(shape, 11, 0.3f);
  std::vector<int> const pixels = testing_prior::all_pixels(shape);
  QGGMRFParams const params{2, 1.2, 1, 0.1, {}};
  Result const result = testing_prior::gradient(*make_qggmrf_prior(params), x, pixels, 1);
  std::vector<double> const start(x.values.begin(), x.values.end());
  std::vector<double> moved = start;
  double decrease = 0;  // promised by the majoriser

  for (std::size_t entry = 0; entry < pixels.size(); ++entry)
    for (int slice = 0; slice < shape.num_slices; ++slice) {
      std::size_t const at = entry * 20 + static_cast<std::size_t>(slice);
      double const g = result.gradient[at], h = 2.0 * result.curvature[at];
      moved[static_cast<std::size_t>(pixels[entry]) * 20 + static_cast<std::size_t>(slice)] -= g / h;
      decrease += 0.5 * g * g / h;
    }

  EXPECT_LE(reference::qggmrf_loss(params, shape, moved), reference::qggmrf_loss(params, shape, start) - decrease);
}

TEST(QGGMRFPrior, GradientIsTheFiniteDifferenceOfTheLoss) {
  ReconShape const shape{5, 4, 6};
  Volume const x = testing_prior::random_volume(shape, 12, 0.3f);
  std::vector<int> const pixels = testing_prior::all_pixels(shape);
  for (QGGMRFParams const& params : {QGGMRFParams{2, 1.2, 1, 0.1, {1, 2, .5}}, QGGMRFParams{1.8, 1.05, 0.5, 0.1, {}}}) {
    Result const result = testing_prior::gradient(*make_qggmrf_prior(params), x, pixels, 1);
    std::vector<double> moved(x.values.begin(), x.values.end());
    double largest = 0, scale = 0;

    for (std::size_t entry = 0; entry < pixels.size(); ++entry)
      for (int slice = 0; slice < shape.num_slices; ++slice) {
        std::size_t const at = static_cast<std::size_t>(pixels[entry] * shape.num_slices + slice);
        double const step = 1e-6, original = moved[at];
        moved[at] = original + step;
        double const up = reference::qggmrf_loss(params, shape, moved);
        moved[at] = original - step;
        double const down = reference::qggmrf_loss(params, shape, moved);
        moved[at] = original;
        double const g = result.gradient[entry * shape.num_slices + static_cast<std::size_t>(slice)];
        largest = std::max(largest, std::abs(g - (up - down) / (2 * step)));
        scale = std::max(scale, std::abs(g));
      }

    EXPECT_LE(largest, 1e-5 * scale);
  }
}

TEST(QGGMRFPrior, ParametersOutOfRangeAreNamed) {
  auto const message = [](QGGMRFParams const& params) -> std::string {
    try {
      make_qggmrf_prior(params);
    } catch (InputError const& error) {
      return error.what();
    }
    return "accepted";
  };

  EXPECT_EQ(message({2, 1.2, 1, 0, {}}), "sigma_x: must be above 0, got 0");
  EXPECT_EQ(message({2.5, 1.2, 1, 1, {}}), "p: must be above 0 and at most 2, got 2.5");
  EXPECT_EQ(message({1.5, 1.7, 1, 1, {}}), "q: must be at least 0 and at most p = 1.5, got 1.7");
  EXPECT_EQ(message({2, 1.2, -1, 1, {}}), "T: must be above 0, got -1");
  EXPECT_EQ(message({2, 1.2, 1, 1, {1, -2, 1}}), "qggmrf_nbr_wts: each must be at least 0, got -2");
  EXPECT_EQ(message({2, 1.2, 1, 1, {0, 0, 0}}), "qggmrf_nbr_wts: at least one must be above 0, got 0, 0, 0");
  EXPECT_EQ(message({2, 1.2, 1, NAN, {}}), "sigma_x: must be above 0, got nan");
  EXPECT_EQ(message({2, 1.2, 1, 1e-30, {}}),
            "sigma_x: beyond what single precision can hold with these p and T, got 1e-30");
}

}  // namespace
}  // namespace strata
