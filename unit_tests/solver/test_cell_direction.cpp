// The direction of cells of 2 x 2 pixels against the same arithmetic in double, its bounds and its sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "geometries/pixel_correlations.hpp"
#include "unit_tests/solver/cell_case.hpp"

namespace strata::test {
namespace {

constexpr int kernel_sweeps = 3;
float const nan = std::numeric_limits<float>::quiet_NaN();

/// Different in each place, so that none can be taken for another.
constexpr PixelCorrelations uneven{0.62, 0.51, 0.38, 0.29};

/// Of views all around, or over 120 degrees, voxels as wide as `voxel` channels.
PixelCorrelations of_parallel_scan(double degrees, double voxel = 1) {
  GeometryParams params;
  params.delta_voxel = voxel;
  std::vector<double> angles;
  for (int v = 0; v < 90; ++v) angles.push_back(degrees * std::numbers::pi / 180 * v / 90);
  return parallel_pixel_correlations(params, angles);
}

struct Shape {
  ReconShape shape;
  double keep;  ///< share of the pixels that the subset holds
};

constexpr Shape shapes[] = {{{6, 8, 5}, 1},    {{7, 9, 40}, 1},   {{7, 9, 20}, 0.6},  {{1, 13, 3}, 1},
                            {{13, 1, 3}, 1},   {{1, 1, 2}, 1},    {{31, 33, 3}, 0.7}, {{12, 11, 70}, 1},
                            {{9, 10, 1}, 0.3}, {{1, 10, 4}, 0.5}, {{40, 41, 2}, 0.9}};

/// Runs `check(case)` for all shapes, with and without couplings, with and without bounds.
template <class Check>
void for_all_cases(PixelCorrelations const& correlations, Check const& check) {
  unsigned seed = 1;
  for (Shape const& s : shapes)
    for (bool const coupled : {true, false})
      for (bool const clip : {false, true}) {
        SCOPED_TRACE(testing::Message() << s.shape.num_rows << " x " << s.shape.num_cols << " x " << s.shape.num_slices
                                        << ", keep " << s.keep << ", coupled " << coupled << ", clip " << clip);
        check(random_cells(s.shape, correlations, {s.keep, coupled, clip, seed++}));
      }
}

/// `check(system, direction)` for all cells of all slices.
template <class Check>
void for_all_cells(CellCase const& cells, CellResult const& result, Check const& check) {
  for (int k = 0; k < cells.shape.num_slices; ++k)
    for (auto const& system : cell_systems(cells, k)) check(system, direction_of(cells, result, system, k));
}

TEST(CellDirection, IsThatOfTheSameSweepsInDouble) {
  std::set<int> members;
  for_all_cases(uneven, [&](CellCase const& cells) {
    double largest = 0;
    for_all_cells(cells, run_cells(cells), [&](CellSystem const& cell, CellSystem::Vector const& d) {
      auto const expected = cell.swept(kernel_sweeps);
      double scale = 0;
      for (int i = 0; i < 4; ++i)
        if (cell.entry[i] >= 0) scale = std::max(scale, cell.scale[i] / cell.matrix[i][i]);
      for (int i = 0; i < 4; ++i) largest = std::max(largest, std::abs(d[i] - expected[i]) / scale);
      members.insert(cell.members());
    });
    EXPECT_LE(largest, 1e-5);
  });
  EXPECT_EQ(members, (std::set<int>{1, 2, 3, 4}));
}

TEST(CellDirection, LowersTheQuadraticByNinetyPercentOfWhatIsPossible) {
  for (double const degrees : {180.0, 120.0})
    for_all_cases(of_parallel_scan(degrees), [&](CellCase const& cells) {
      double least = 1, sum = 0, possible = 0;
      for_all_cells(cells, run_cells(cells), [&](CellSystem const& cell, CellSystem::Vector const& d) {
        double const best = -cell.value(cell.minimiser()), found = -cell.value(d);
        sum += found;
        possible += best;
        if (best > 1e-6) least = std::min(least, found / best);
      });
      EXPECT_GE(least, 0.9) << degrees;
      EXPECT_GE(sum, 0.98 * possible) << degrees;
      EXPECT_LE(sum, possible * (1 + 1e-5)) << degrees;
    });
}

TEST(CellDirection, KeepsVoxelsFromBecomingNegativeWhereItClips) {
  int at_bound = 0;
  for_all_cases(of_parallel_scan(180), [&](CellCase const& cells) {
    if (!cells.rule.clip_direction) return;
    auto const result = run_cells(cells);
    for (std::size_t t = 0; t < cells.pixels.size(); ++t)
      for (int k = 0; k < cells.shape.num_slices; ++k) {
        float const x = cells.recon[cells.at(static_cast<std::size_t>(cells.pixels[t]), k)];
        float const d = result.direction[cells.at(t, k)];
        EXPECT_GE(d, -std::max(x, 0.f)) << "entry " << t << ", slice " << k;
        if (x > 0 && d == -x) ++at_bound;
      }
  });
  EXPECT_GT(at_bound, 100);
}

/// Also where the correlations are those of large voxels, and where neighbours are all but the same.
TEST(CellDirection, DescendsInEveryCellWhereSomethingCanMove) {
  for (PixelCorrelations const& rho : {of_parallel_scan(180), of_parallel_scan(180, 0.3), of_parallel_scan(60, 2.3),
                                       PixelCorrelations{}, PixelCorrelations{0.999, 0.999, 0.998, 0.998}})
    for_all_cases(rho, [&](CellCase const& cells) {
      auto const result = run_cells(cells);
      for_all_cells(cells, result, [&](CellSystem const& cell, CellSystem::Vector const& d) {
        double const descent = -product(cell.slope, d);
        bool can_move = false;
        double scale = 0;
        for (int i = 0; i < 4; ++i) {
          if (cell.entry[i] < 0) continue;
          can_move = can_move || cell.slope[i] < -1e-4 || (cell.slope[i] > 1e-4 && cell.lowest[i] < -1e-4);
          scale += cell.scale[i] * std::abs(d[i]);
        }
        EXPECT_GE(descent, -1e-6 * scale);
        if (can_move) {
          EXPECT_GT(descent, 0);
        }
      });
      for (double const descent : result.descent) EXPECT_GE(descent, 0);
    });
}

TEST(CellDirection, IsZeroWhereTheSlopeOrTheCurvatureIs) {
  CellCase cells = random_cells({5, 6, 7}, uneven);
  CellCase flat = cells;
  std::fill(flat.back_projection.begin(), flat.back_projection.end(), 0.f);
  std::fill(flat.prior_gradient.begin(), flat.prior_gradient.end(), 0.f);
  auto const resting = run_cells(flat);
  EXPECT_EQ(resting.direction, std::vector<float>(resting.direction.size()));
  EXPECT_EQ(resting.descent, std::vector<double>(7));

  std::size_t const voxel = 9;  // no ray sees it, no prior holds it
  for (int k = 0; k < 7; ++k) {
    std::size_t const pixel = static_cast<std::size_t>(cells.pixels[voxel]);
    cells.hessian[cells.at(pixel, k)] = cells.prior_curvature[cells.at(voxel, k)] = 0;
  }
  cells.coupled = false;
  auto const result = run_cells(cells);
  for (int k = 0; k < 7; ++k) EXPECT_EQ(result.direction[cells.at(voxel, k)], 0);
  for (float const d : result.direction) EXPECT_TRUE(std::isfinite(d));
}

TEST(CellDirection, SumsAreTheDescentAndTheCurvatureOfThePrior) {
  for_all_cases(uneven, [](CellCase const& cells) {
    auto const result = run_cells(cells);
    for (int k = 0; k < cells.shape.num_slices; ++k) {
      double descent = 0, curvature = 0, moved = 0;
      for (auto const& cell : cell_systems(cells, k)) {
        auto const d = direction_of(cells, result, cell, k);
        descent -= product(cell.slope, d);
        curvature += product(cell.prior, d, d);
        for (int i = 0; i < 4; ++i) moved += cell.scale[i] * std::abs(d[i]);
      }
      EXPECT_NEAR(result.descent[k], descent, 1e-6 * moved + 1e-30) << k;
      EXPECT_NEAR(result.curvature[k], curvature, 1e-10 * curvature + 1e-30) << k;
    }
  });
}

/// Work items hold 256 entries; dropping the first cell moves the others across their ends by 1 to 4 entries.
TEST(CellDirection, DoesNotDependOnWhereACellLiesInTheList) {
  int cut = 0;
  for (unsigned seed = 1; seed <= 4; ++seed)
    for (double const keep : {1.0, 0.75}) {
      CellCase cells = random_cells({40, 37, 3}, uneven, {keep, true, seed % 2 == 0, seed});
      auto const whole = run_cells(cells);
      auto const continues = [&](std::size_t t) {
        int const a = cells.pixels[t - 1], b = cells.pixels[t];
        return a / 37 / 2 == b / 37 / 2 && a % 37 / 2 == b % 37 / 2;
      };
      std::size_t dropped = 0;
      for (int round = 0; round < 8; ++round) {
        std::size_t end = 1;
        while (continues(end)) ++end;
        cells = without_entries(cells, 0, end);
        dropped += end;
        for (std::size_t t = SliceSums::chunk; t < cells.pixels.size(); t += SliceSums::chunk) cut += continues(t);
        auto const part = run_cells(cells);
        EXPECT_EQ(part.direction,
                  std::vector<float>(whole.direction.begin() + std::ptrdiff_t(3 * dropped), whole.direction.end()))
            << dropped;
      }
    }
  EXPECT_GT(cut, 50) << "few cells lay across the end of a work item";
}

TEST(CellDirection, DoesNotDependOnShardsOrOnWhatThePaddingHolds) {
  for_all_cases(uneven, [](CellCase const& cells) {
    auto const one = run_cells(cells);
    for (int const shards : {1, 2, 5})
      for (float const padding : {nan, -1e30f}) {
        auto const result = run_cells(cells, shards, padding);
        EXPECT_EQ(result.direction, one.direction) << shards << ", " << padding;
        EXPECT_EQ(result.descent, one.descent) << shards << ", " << padding;
        EXPECT_EQ(result.curvature, one.curvature) << shards << ", " << padding;
        EXPECT_TRUE(result.padding_is_zero) << shards << ", " << padding;
      }
  });
}

TEST(CellDirection, IsThatOfSinglePixelsWhereNothingJoinsThem) {
  CellCase cells = random_cells({6, 7, 4}, {}, {1, false, false, 3});
  auto const result = run_cells(cells);
  for_all_cells(cells, result, [&](CellSystem const& cell, CellSystem::Vector const& d) {
    for (int i = 0; i < 4; ++i)
      if (cell.entry[i] >= 0) {
        EXPECT_NEAR(d[i], -cell.slope[i] / cell.matrix[i][i], 1e-6 * cell.scale[i]);
      }
  });
}

}  // namespace
}  // namespace strata::test
