// VCD whose subsets solve cells of 2 x 2 pixels: it never climbs, and it ends where single pixels do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "core/base/error.hpp"
#include "core/solver/region_mask.hpp"
#include "core/solver/vcd_reconstruction.hpp"
#include "geometries/parallel_scan.hpp"
#include "prior/proximal.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/solver/accelerated_case.hpp"

namespace strata::test {
namespace {

using Random = std::mt19937;

float uniform(Random& random) {
  return std::uniform_real_distribution<float>(0, 1)(random);
}

/// Parallel beams of odd and even sizes, voxels of 0.6 to 1.9 channels, 90 to 180 degrees.
std::shared_ptr<Geometry const> random_scan(Random& random) {
  GeometryParams params;
  params.recon = {9 + static_cast<int>(random() % 9), 9 + static_cast<int>(random() % 9),
                  1 + static_cast<int>(random() % 5)};
  params.delta_voxel = 0.6 + 1.3 * uniform(random);
  params.voxel_row_aspect = random() % 2 == 0 ? 1 : 1.4;
  params.det_channel_offset = uniform(random);
  double const width = std::hypot(params.recon.num_rows * params.voxel_row_aspect, params.recon.num_cols);
  params.sinogram = {8 + static_cast<int>(random() % 25), params.recon.num_slices,
                     static_cast<int>(width * params.delta_voxel * 0.8) + 3};
  double const range = (0.5 + 0.5 * uniform(random)) * std::numbers::pi;
  std::vector<double> angles;
  for (int v = 0; v < params.sinogram.num_views; ++v) angles.push_back(range * v / params.sinogram.num_views);
  return make_parallel_scan(params, angles);
}

/// The ellipse, everything, or everything but some pixels.
RegionMask random_region(Random& random, ReconShape const& shape) {
  if (random() % 3 == 0) return ellipse_mask(shape.num_rows, shape.num_cols);
  RegionMask region = full_mask(shape.num_rows, shape.num_cols);
  if (random() % 2 == 0)
    for (auto& inside : region.inside) inside = uniform(random) < 0.85f ? 1 : 0;
  return region;
}

struct Problem {
  explicit Problem(unsigned number) : random(number), geometry(random_scan(random)) {
    region = random_region(random, geometry->params().recon);
    model.emplace(DeviceSet::virtual_devices(1), geometry,
                  std::vector<bool>(region.inside.begin(), region.inside.end()));
    make_scan();
    options.sigma_y = 0.1 * std::pow(10, uniform(random) - 0.5f);
    options.stop_threshold_change_pct = 0;
    options.positivity_flag = number % 2 == 1;
    options.compute_objective = true;
    options.cells = geometry->pixel_correlations();
    prior.sigma_x = 0.05 * std::pow(10, 2 * uniform(random) - 1);
    prior.q = 1 + 0.5 * uniform(random);
    if (number % 3 == 0) prior.p = prior.q + 0.95 * (2 - prior.q) * uniform(random);
    prior.nbr_wts = {0.3 + uniform(random), 0.3 + uniform(random), uniform(random)};
  }

  /// Projections of discs and noise, weights over some decades, some rays left out.
  void make_scan() {
    auto const x = model->make_volume("test::x");
    auto const y = model->make_sinogram("test::y"), w = model->make_sinogram("test::w");
    std::vector<float> image(static_cast<std::size_t>(geometry->params().recon.size()));
    int const cols = geometry->params().recon.num_cols, slices = geometry->params().recon.num_slices;
    for (std::size_t v = 0; v < image.size(); ++v) {
      int const pixel = static_cast<int>(v) / slices;
      image[v] = std::hypot(pixel / cols - 5.f, pixel % cols - 6.f) < 4 ? 0.4f : uniform(random) < 0.1f ? 0.2f : 0.f;
    }
    from_host(*model, image, x);
    model->forward_project(x, y);
    auto values = to_host(*model, y), weights = values;
    float const decades = 2 * uniform(random), left_out = 0.1f * uniform(random);
    std::normal_distribution<float> normal(0, 0.1f * uniform(random));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += normal(random);
      weights[i] = uniform(random) < left_out ? 0.f : std::pow(10.f, -decades * uniform(random));
    }
    from_host(*model, values, y);
    from_host(*model, weights, w);
    scan.emplace(*model, y, random() % 3 == 0 ? std::optional<ShardedSinogram>() : w);
  }

  /// Makes the minimum one that passes reach to single precision: a smooth prior that is not too weak.
  void make_easy() {
    prior.p = 2;
    prior.q = 1.5;
    prior.sigma_x = 0.05;
    options.sigma_y = 0.1;
  }

  VCDSchedule schedule(int passes, int subsets, bool cells = true) const {
    return make_schedule({.granularity = {subsets, 4 * subsets},
                          .partition_sequence = {0, 1},
                          .max_iterations = passes,
                          .cell_cols = cells ? geometry->params().recon.num_cols : 0},
                         region.pixel_indices());
  }

  Random random;
  std::shared_ptr<Geometry const> geometry;
  RegionMask region;
  std::optional<TomographyModel> model;
  std::optional<PreparedScan> scan;
  VCDOptions options;
  QGGMRFParams prior;
};

void expect_descent(std::vector<IterationStats> const& history) {
  for (std::size_t k = 1; k < history.size(); ++k)
    EXPECT_LE(history[k].objective, history[k - 1].objective * (1 + 1e-6)) << "pass " << k;
  EXPECT_LT(history.back().objective, history.front().objective);
}

class VCDCells : public testing::TestWithParam<int> {};

/// From few large subsets, whose cells lie side by side, to small ones.
TEST_P(VCDCells, NeverRaiseTheObjectiveOverAPass) {
  Problem problem(static_cast<unsigned>(GetParam()));
  auto const prior = make_qggmrf_prior(problem.prior);
  for (int const subsets : {1, 3}) {
    SCOPED_TRACE(subsets);
    VCDReconstruction reconstruction(*problem.scan, *prior, problem.options, problem.schedule(6, subsets));
    reconstruction.start_given();
    expect_descent(reconstruction.iterate().history);
  }
}

TEST_P(VCDCells, NeverRaiseTheObjectiveOfAProximalMap) {
  Problem problem(static_cast<unsigned>(GetParam()));
  auto const input = problem.model->make_volume("test::input");
  std::vector<float> values(static_cast<std::size_t>(problem.geometry->params().recon.size()));
  for (float& value : values) value = uniform(problem.random) - 0.2f;
  from_host(*problem.model, values, input);
  auto const prior = make_proximal_prior(input, problem.prior.sigma_x);
  VCDReconstruction reconstruction(*problem.scan, *prior, problem.options, problem.schedule(5, 2));
  reconstruction.start_direct();
  expect_descent(reconstruction.iterate().history);
}

INSTANTIATE_TEST_SUITE_P(RandomProblems, VCDCells, testing::Range(0, 36));

class VCDCellsForLong : public testing::TestWithParam<int> {};

TEST_P(VCDCellsForLong, EndWhereSinglePixelsDo) {
  Problem problem(static_cast<unsigned>(GetParam()));
  problem.make_easy();
  problem.options.acceleration = Acceleration::subspace;
  problem.options.acceleration_directions = 2;
  auto const prior = make_qggmrf_prior(problem.prior);
  std::vector<float> images[2];
  double objectives[2];
  for (bool const cells : {false, true}) {
    if (!cells) problem.options.cells.reset();
    if (cells) problem.options.cells = problem.geometry->pixel_correlations();
    VCDReconstruction reconstruction(*problem.scan, *prior, problem.options, problem.schedule(120, 4, cells));
    reconstruction.start_given();
    auto const result = reconstruction.iterate();
    images[cells] = to_host(*problem.model, reconstruction.image());
    objectives[cells] = result.history.back().objective;
    if (cells && problem.options.positivity_flag) {
      EXPECT_GE(*std::min_element(images[1].begin(), images[1].end()), 0);
    }
  }
  EXPECT_LE(nrmse(images[1], images[0]), 1e-5);
  EXPECT_NEAR(objectives[1], objectives[0], 1e-6 * objectives[0]);
}

INSTANTIATE_TEST_SUITE_P(RandomProblems, VCDCellsForLong, testing::Range(0, 8));

TEST(VCDCellsWith, TheReferenceOrDampedMeansAreRefused) {
  Problem problem(0);
  auto const prior = make_qggmrf_prior(problem.prior);
  for (bool const reference : {false, true}) {
    VCDOptions options = problem.options;
    options.reference_mode = reference;
    if (!reference) options.slice_mean_damping.assign(problem.geometry->params().recon.num_slices, 0.5);
    VCDReconstruction reconstruction(*problem.scan, *prior, options, problem.schedule(1, 2));
    EXPECT_THROW(reconstruction.start_given(), Error) << reference;
  }
}

/// Excess of the objective over its minimum after 10 passes from the direct image, as a part of the minimum.
double excess_after_ten_passes(char const* scan, double least, bool cells) {
  VCDOptions options;
  options.acceleration = Acceleration::subspace;
  if (cells) options.cells = CtCase(scan).geometry()->pixel_correlations();
  auto const history = run({.scan = scan, .options = options, .granularity = {4, 16}, .sequence = {0, 1}}).history;
  return history.back().objective / least - 1;
}

/// What they are for.
TEST(VCDCellsAgainstSinglePixels, AreTwiceAsNearToTheMinimumAfterTenPasses) {
  for (char const* scan : {"parallel_basic", "parallel_odd_nonsquare"}) {
    VCDOptions options;
    options.acceleration = Acceleration::subspace;
    double const least =
        run({.scan = scan, .options = options, .passes = 100, .granularity = {4, 16}, .sequence = {0, 1}})
            .history.back()
            .objective;

    EXPECT_LT(excess_after_ten_passes(scan, least, true), excess_after_ten_passes(scan, least, false) / 2) << scan;
  }
}

}  // namespace
}  // namespace strata::test
