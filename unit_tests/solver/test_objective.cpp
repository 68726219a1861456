#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/solver/excess.hpp"
#include "core/solver/objective.hpp"
#include "prior/proximal.hpp"
#include "unit_tests/solver/accelerated_case.hpp"

namespace strata::test {
namespace {

ObjectiveModel quadratic(std::vector<double> const& descent, std::vector<std::vector<double>> const& curvature) {
  ObjectiveModel model;
  model.count = static_cast<int>(descent.size());
  std::copy(descent.begin(), descent.end(), model.descent.begin());
  for (std::size_t i = 0; i < curvature.size(); ++i)
    std::copy(curvature[i].begin(), curvature[i].end(), model.curvature.at(i).begin());
  return model;
}

TEST(SubspaceMinimum, IsTheSolutionOfTheNormalEquations) {
  auto const model = quadratic({1, -2, 0.5}, {{4, 1, 0.1}, {1, 3e6, -20}, {0.1, -20, 2e-2}});

  auto const t = minimise(model, 1e-6);

  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    for (int j = 0; j < 3; ++j) sum += model.curvature[i][j] * t[j];
    EXPECT_NEAR(sum, model.descent[i], 1e-9) << i;
  }
  EXPECT_GT(promised_decrease(model, t), 0);
}

TEST(SubspaceMinimum, LeavesOutDirectionsThatCannotBeToldApart) {
  auto const model = quadratic({1, 1}, {{1, 1}, {1, 1 + 1e-9}});

  auto const t = minimise(model, 1e-6);

  EXPECT_NEAR(t[0], 0.5, 1e-6);
  EXPECT_NEAR(t[1], 0.5, 1e-6);
}

TEST(SubspaceMinimum, IsZeroForDirectionsThatAreZeroOrNotFiniteOrLeadUp) {
  std::array<double, 3> const zeros{};
  EXPECT_EQ(minimise(quadratic({0, 0}, {{0, 0}, {0, 0}}), 1e-6), zeros);
  EXPECT_EQ(minimise(quadratic({0, 0}, {{1, 0}, {0, 1}}), 1e-6), zeros);
  EXPECT_EQ(minimise(quadratic({NAN, 1}, {{1, 0}, {0, 1}}), 1e-6), zeros);
  EXPECT_EQ(minimise(quadratic({1, 1}, {{1, NAN}, {NAN, 1}}), 1e-6), zeros);
  EXPECT_EQ(minimise(quadratic({1, INFINITY}, {{1, 0}, {0, 1}}), 1e-6), zeros);
}

TEST(ExcessEstimate, BoundsAGeometricDecreaseFromTheFifthPassOn) {
  ExcessEstimate estimate;
  for (int k = 0; k < 12; ++k) {
    double const excess = std::pow(0.6, k);
    estimate.add(1 + excess);
    if (k < 4) {
      EXPECT_FALSE(estimate.bound_pct().has_value()) << k;
    } else {
      ASSERT_TRUE(estimate.bound_pct().has_value()) << k;
      EXPECT_NEAR(*estimate.bound_pct(), 100 * 2.1 * excess / (1 + excess), 1e-6) << k;
    }
  }
}

TEST(ExcessEstimate, EndsARunOnlyAfterSixPassesAndOnlyBelowTheTolerance) {
  ExcessEstimate estimate;
  for (int k = 0; k < 8; ++k) {
    estimate.add(1 + 1e-4 * std::pow(0.1, k));
    EXPECT_EQ(estimate.converged(0.1), k >= 5) << k;
    EXPECT_FALSE(estimate.converged(0)) << k;
    EXPECT_FALSE(estimate.converged(1e-9)) << k;
  }
}

TEST(ExcessEstimate, KeepsItsWordWhenTheObjectiveStandsStillOrRises) {
  ExcessEstimate estimate;
  for (double const value : {10., 5., 4., 3., 3., 3., 3., 3.0000001, 3.}) estimate.add(value);
  ASSERT_TRUE(estimate.bound_pct().has_value());
  EXPECT_GE(*estimate.bound_pct(), 0);
  EXPECT_LT(*estimate.bound_pct(), 1e-3);
  ExcessEstimate unknown;
  for (int k = 0; k < 9; ++k) unknown.add(NAN);
  EXPECT_FALSE(unknown.bound_pct().has_value());
}

TEST(ExcessEstimate, EndsARunAtOnceWhoseObjectiveIsZero) {
  ExcessEstimate estimate;
  estimate.add(1);
  EXPECT_FALSE(estimate.converged(0.1));
  estimate.add(0);
  EXPECT_EQ(estimate.bound_pct(), 0);
  EXPECT_TRUE(estimate.converged(0.1));
  EXPECT_FALSE(estimate.converged(0));
}

/// A random image, error and directions on a small scan.
struct RandomObjective {
  explicit RandomObjective(int num_devices, bool proximal)
      : golden("cone_odd_offsets"),
        model(golden.model(num_devices)),
        weights(golden.sinogram(*model, "/runs/noisy/weights")),
        y(golden.sinogram(*model, "/runs/noisy/sinogram")),
        x(random_volume(0.02f)),
        error(error_of(x)) {
    QGGMRFParams params;
    params.sigma_x = 0.01;
    prior = proximal ? make_proximal_prior(random_volume(0.02f), 0.01) : make_qggmrf_prior(params);
    for (int i = 0; i < 3; ++i) {
      ProjectedDirection direction{random_volume(0.01f), model->make_sinogram("test::projection")};
      auto const zeros = model->make_sinogram("test::zeros");
      model->forward_project(direction.volume, direction.projection);
      weighted_residual(zeros, -1, direction.projection, &weights, direction.projection);
      directions.push_back(direction);
    }
  }

  ShardedVolume random_volume(float spread) {
    auto const volume = model->make_volume("test::random");
    std::normal_distribution<float> normal(0, spread);
    std::vector<float> values(model->recon_shape().size());
    std::vector<bool> const& mask = model->mask();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = mask[i / model->recon_shape().num_slices] ? normal(generator) : 0.f;
    from_host(*model, values, volume);
    return volume;
  }

  ShardedSinogram error_of(ShardedVolume const& image) {
    auto const e = model->make_sinogram("test::error");
    model->forward_project(image, e);
    weighted_residual(y, 1, e, &weights, e);
    return e;
  }

  ObjectiveModel measure(int count) {
    ObjectiveSums sums(*model, *prior, sigma_y, 3);
    std::vector<ProjectedDirection const*> along;
    for (int i = 0; i < count; ++i) along.push_back(&directions[i]);
    return sums.measure(x, error, &weights, along);
  }

  /// F(x + sum t_i d_i), from the image.
  double at(std::vector<double> const& t) {
    auto image = to_host(*model, x);
    for (std::size_t i = 0; i < t.size(); ++i) {
      auto const d = to_host(*model, directions[i].volume);
      for (std::size_t k = 0; k < image.size(); ++k) image[k] = float(image[k] + t[i] * d[k]);
    }
    auto const moved = model->make_volume("test::moved");
    from_host(*model, image, moved);
    return objective_of(*model, *prior, sigma_y, moved, error_of(moved), &weights);
  }

  std::mt19937 generator{7};
  double sigma_y = 0.1;
  CtCase golden;
  std::unique_ptr<TomographyModel> model;
  ShardedSinogram weights, y;
  ShardedVolume x;
  ShardedSinogram error;
  std::unique_ptr<Prior const> prior;
  std::vector<ProjectedDirection> directions;
};

double bound(ObjectiveModel const& objective, std::vector<double> const& t) {
  std::array<double, 3> factors{};
  std::copy(t.begin(), t.end(), factors.begin());
  return objective.value - promised_decrease(objective, factors);
}

TEST(Objective, EqualsItsParts) {
  for (bool const proximal : {false, true}) {
    RandomObjective random(1, proximal);
    double const expected = random.at({});
    for (int count = 0; count <= 3; ++count)
      EXPECT_NEAR(random.measure(count).value, expected, 1e-6 * expected) << count;
  }
}

TEST(Objective, HasTheSlopesOfItsFiniteDifferences) {
  for (bool const proximal : {false, true}) {
    RandomObjective random(1, proximal);
    auto const objective = random.measure(3);
    for (int i = 0; i < 3; ++i) {
      std::vector<double> t(3, 0.0);
      t[i] = 0.02;
      double const above = random.at(t);
      t[i] = -0.02;
      double const slope = (random.at(t) - above) / 0.04;
      EXPECT_NEAR(objective.descent[i], slope, 1e-3 * objective.curvature[i][i]) << i;
    }
  }
}

TEST(Objective, LiesBelowItsBoundEverywhereAndOnItForAQuadraticPrior) {
  std::mt19937 generator(3);
  std::normal_distribution<double> normal(0, 1);
  for (bool const proximal : {false, true}) {
    RandomObjective random(1, proximal);
    auto const objective = random.measure(3);
    for (int trial = 0; trial < 12; ++trial) {
      std::vector<double> const t{normal(generator), normal(generator), normal(generator)};
      double const value = random.at(t);
      EXPECT_LE(value, bound(objective, t) * (1 + 1e-6));
      if (proximal) {
        EXPECT_NEAR(value, bound(objective, t), 1e-5 * value);
      }
    }
  }
}

TEST(Objective, IsTheSameBitsOnAnyNumberOfDevices) {
  for (bool const proximal : {false, true}) {
    auto const one = RandomObjective(1, proximal).measure(3);
    for (int const devices : {2, 3, 5}) {
      auto const several = RandomObjective(devices, proximal).measure(3);
      EXPECT_EQ(several.value, one.value) << devices;
      EXPECT_EQ(several.descent, one.descent) << devices;
      EXPECT_EQ(several.curvature, one.curvature) << devices;
      EXPECT_EQ(several.data_curvature, one.data_curvature) << devices;
    }
  }
}

}  // namespace
}  // namespace strata::test
