#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/base/error.hpp"
#include "prior/proximal.hpp"
#include "prior/qggmrf.hpp"
#include "prior/qggmrf_kernels.hpp"
#include "unit_tests/prior/sharded_prior.hpp"
#include "unit_tests/reference/qggmrf_reference.hpp"

namespace strata {
namespace {

using testing_prior::all_pixels;
using testing_prior::CoupledResult;
using testing_prior::random_volume;
using testing_prior::Result;
using testing_prior::Volume;

float const nan = std::numeric_limits<float>::quiet_NaN();

/// All forms of the kernels: tails p - q of 0.8, 1, 2 and others, and p < 2; weights that tell the axes apart.
std::vector<QGGMRFParams> coupling_parameters() {
  return {{2, 1.2, 1, 0.1, {}},
          {2, 1, 0.7, 0.2, {1, 2, 3}},
          {2, 0, 1, 0.3, {3, 1, 2}},
          {1.8, 1.05, 0.5, 0.03, {1, .5, .2}},
          {1.6, 1.1, 1, 0.1, {.1, 1, 1}}};
}

bool equal_bits(std::vector<float> const& a, std::vector<float> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

bool equal_bits(Result const& a, Result const& b) {
  return equal_bits(a.gradient, b.gradient) && equal_bits(a.curvature, b.curvature);
}

/// The prior's functions by voxel, those that GPUs use.
testing_prior::CouplingFunction couplings_of_voxels(QGGMRFParams const& params) {
  return [f = QGGMRFPotential(params)](VolumeShard const& volume, PixelList const& pixels, Cylinders const& g,
                                       Cylinders const& h, PlaneCouplings const& couplings) {
    qggmrf_couplings_by_voxel(ExecSpace(), f, volume, pixels, g, h, couplings);
  };
}
testing_prior::GradientFunction coupled_gradient_by_voxel(QGGMRFParams const& params) {
  return [f = QGGMRFPotential(params)](VolumeShard const& volume, PixelList const& pixels, Cylinders const& g,
                                       Cylinders const& h) {
    qggmrf_gradient_by_voxel(ExecSpace(), f, volume, pixels, g, h);
  };
}

/// Largest relative difference between couplings [entry][slice] along one axis and the formula in double. Where there
/// is no next pixel the value must be finite.
double largest_error(QGGMRFParams const& params, Volume const& x, std::vector<int> const& pixels,
                     std::vector<float> const& couplings, bool along_rows) {
  auto const [rows, cols, slices] = x.shape;
  NeighbourWeights const& w = params.nbr_wts;
  double const weight = (along_rows ? w.row : w.col) / (2 * (w.row + w.col + w.slice));
  double largest = 0;
  for (std::size_t entry = 0; entry < pixels.size(); ++entry) {
    int const row = pixels[entry] / cols, col = pixels[entry] % cols;
    bool const has_next = along_rows ? row + 1 < rows : col + 1 < cols;
    int const next = pixels[entry] + (along_rows ? cols : 1);
    for (int k = 0; k < slices; ++k) {
      double const value = couplings[entry * static_cast<std::size_t>(slices) + static_cast<std::size_t>(k)];
      if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
      if (!has_next) continue;
      double const d = double(x.values[Index(next) * slices + k]) - x.values[Index(pixels[entry]) * slices + k];
      largest = std::max(largest, std::abs(value / (weight * reference::qggmrf_curvature(params, d)) - 1));
    }
  }
  return largest;
}

void expect_formula(QGGMRFParams const& params, Volume const& x, std::vector<int> const& pixels,
                    CoupledResult const& result, char const* what) {
  EXPECT_LE(largest_error(params, x, pixels, result.next_row, true), 1e-6) << what;
  EXPECT_LE(largest_error(params, x, pixels, result.next_col, false), 1e-6) << what;
  EXPECT_TRUE(result.padding_is_zero) << what;
}

TEST(QGGMRFCouplings, AreThoseOfTheFormulaForRowsAndForVoxelsWhateverThePaddingHolds) {
  ReconShape const shapes[] = {{5, 4, 150}, {13, 11, 70}, {6, 7, 40}, {1, 17, 9}, {17, 1, 33}, {1, 1, 20}, {9, 8, 1}};
  for (ReconShape const& shape : shapes) {
    Volume const x = random_volume(shape, 21, 0.3f);
    std::vector<int> const pixels = all_pixels(shape);
    for (QGGMRFParams const& params : coupling_parameters())
      for (int const num_shards : {1, 3}) {
        SCOPED_TRACE(testing::Message() << shape.num_rows << " x " << shape.num_cols << " x " << shape.num_slices
                                        << ", p " << params.p << ", q " << params.q << ", " << num_shards << " shards");
        expect_formula(params, x, pixels,
                       testing_prior::couplings(*make_qggmrf_prior(params), x, pixels, num_shards, {nan}), "rows");
        expect_formula(params, x, pixels,
                       testing_prior::couplings(couplings_of_voxels(params), x, pixels, num_shards, {nan}), "voxels");
      }
  }
}

TEST(QGGMRFCouplings, GradientAndCurvatureHaveTheBitsOfThePlainCall) {
  for (int const num_slices : {1, 7, 30, 40, 70, 150}) {
    Volume const x = random_volume({13, 11, num_slices}, 22, 0.3f);
    std::vector<int> pixels = all_pixels(x.shape);
    pixels.resize(101);
    for (QGGMRFParams const& params : coupling_parameters()) {
      SCOPED_TRACE(testing::Message() << num_slices << " slices, p " << params.p << ", q " << params.q);
      auto const prior = make_qggmrf_prior(params);

      Result const rows = testing_prior::gradient(*prior, x, pixels, 2, {nan});
      Result const voxels = testing_prior::gradient(coupled_gradient_by_voxel(params), x, pixels, 2, {nan});

      EXPECT_TRUE(equal_bits(testing_prior::couplings(*prior, x, pixels, 2, {nan}).plain, rows));
      EXPECT_TRUE(equal_bits(testing_prior::couplings(couplings_of_voxels(params), x, pixels, 2, {nan}).plain, voxels));
    }
  }
}

TEST(QGGMRFCouplings, AreBitEqualForAnyNumberOfShardsAndAnyPadding) {
  for (int const num_slices : {1, 7, 70, 150}) {
    Volume const x = random_volume({13, 11, num_slices}, 23, 0.3f);
    std::vector<int> const pixels = all_pixels(x.shape);
    for (QGGMRFParams const& params : coupling_parameters()) {
      auto const prior = make_qggmrf_prior(params);
      CoupledResult const whole = testing_prior::couplings(*prior, x, pixels, 1);
      for (int const num_shards : {2, 3, 5})
        for (float const poison : {nan, 1e30f}) {
          CoupledResult const cut = testing_prior::couplings(*prior, x, pixels, num_shards, {poison});

          EXPECT_TRUE(equal_bits(cut.next_row, whole.next_row)) << num_slices << " slices, " << num_shards << " shards";
          EXPECT_TRUE(equal_bits(cut.next_col, whole.next_col)) << num_slices << " slices, " << num_shards << " shards";
          EXPECT_TRUE(cut.padding_is_zero) << num_slices << " slices, " << num_shards << " shards, " << poison;
        }
    }
  }
}

/// Pixels of 2 x 2 cells away from the border, where curvature() counts reflected neighbours that the value of the
/// prior does not have. Some cells touch.
std::vector<int> cells_of_pixels(ReconShape const& shape, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<int> pixels;
  for (int row = 1; row + 2 < shape.num_rows; row += 2)
    for (int col = 1; col + 2 < shape.num_cols; col += 2) {
      if (generator() % 2 == 0) continue;
      int const corner = row * shape.num_cols + col;
      for (int const step : {0, 1, shape.num_cols, shape.num_cols + 1}) pixels.push_back(corner + step);
    }
  std::shuffle(pixels.begin(), pixels.end(), generator);
  return pixels;
}

/// d'He of directions [entry] in slice `slice`: the curvature on the diagonal, minus the couplings of listed pairs.
double product(Volume const& x, std::vector<int> const& pixels, CoupledResult const& prior, int slice,
               std::vector<float> const& d, std::vector<float> const& e) {
  auto const entry_of = [&](int pixel) { return std::find(pixels.begin(), pixels.end(), pixel) - pixels.begin(); };
  Index const slices = x.shape.num_slices, size = static_cast<Index>(pixels.size());
  double sum = 0;
  for (Index s = 0; s < size; ++s) {
    sum += double(prior.plain.curvature[s * slices + slice]) * d[s] * e[s];
    for (bool const along_rows : {true, false}) {
      Index const r = entry_of(pixels[s] + (along_rows ? x.shape.num_cols : 1));
      if (r == size) continue;
      double const c = (along_rows ? prior.next_row : prior.next_col)[s * slices + slice];
      sum -= c * (double(d[s]) * e[r] + double(d[r]) * e[s]);
    }
  }
  return sum;
}

/// The curvatures of surrogate_sums() along three directions: of pairs 00, 01, 02, 11, 12, 22.
std::vector<double> surrogate_curvatures(Prior const& prior, Volume const& x, std::vector<Volume> const& directions) {
  VolumeShard const volume = testing_prior::whole_volume(x);
  DirectionShards shards;
  shards.count = DirectionShards::most;
  for (int i = 0; i < shards.count; ++i) shards.shards[i] = testing_prior::whole_volume(directions[i]);
  int const num_sums = num_quadratic_sums(shards.count);
  Array3<double> const partial("test::partial", Prior::surrogate_parts, num_sums,
                               volume.blocks.per_shard * volume.blocks.lanes);
  prior.surrogate_sums(ExecSpace(), volume, shards, partial);
  Kokkos::fence("test: read the sums");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), partial);
  std::vector<double> sums(num_sums);
  for (int part = 0; part < Prior::surrogate_parts; ++part)
    for (int q = 0; q < num_sums; ++q)
      for (int slice = 0; slice < x.shape.num_slices; ++slice)
        sums[q] += host(part, q, volume.blocks.block_of(slice) * volume.blocks.lanes + volume.blocks.lane_of(slice));
  return {sums.begin() + 1 + shards.count, sums.end()};
}

TEST(QGGMRFCouplings, WithTheCurvatureTheyAreTheHessianOfTheSurrogateWithinASlice) {
  Volume const x = random_volume({15, 12, 70}, 24, 0.3f);
  std::vector<int> const pixels = cells_of_pixels(x.shape, 25);
  for (QGGMRFParams const& params : coupling_parameters())
    for (int const slice : {1, 33, 64}) {
      auto const prior = make_qggmrf_prior(params);
      CoupledResult const result = testing_prior::couplings(*prior, x, pixels, 2, {nan});
      std::mt19937 generator(26);
      std::normal_distribution<float> normal;
      std::vector<std::vector<float>> steps(3, std::vector<float>(pixels.size()));
      std::vector<Volume> directions(3, Volume{x.shape, std::vector<float>(x.values.size())});
      for (std::size_t i = 0; i < steps.size(); ++i)
        for (std::size_t s = 0; s < pixels.size(); ++s)
          directions[i].values[Index(pixels[s]) * x.shape.num_slices + slice] = steps[i][s] = normal(generator);

      std::vector<double> const expected = surrogate_curvatures(*prior, x, directions);

      double const scale = expected[0];
      std::size_t next = 0;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = i; j < 3; ++j, ++next)
          EXPECT_NEAR(product(x, pixels, result, slice, steps[i], steps[j]), expected[next], 1e-5 * scale)
              << i << " " << j << ", slice " << slice << ", p " << params.p << ", q " << params.q;
    }
}

TEST(QGGMRFCouplings, AnEmptyPixelListIsFine) {
  Volume const x = random_volume({3, 4, 20}, 7, 0.3f);

  EXPECT_TRUE(testing_prior::couplings(*make_qggmrf_prior({2, 1.2, 1, 0.1, {}}), x, {}, 2).next_row.empty());
}

TEST(QGGMRFCouplings, ThereAreNoneWithoutWeightsInThePlane) {
  EXPECT_TRUE(make_qggmrf_prior({2, 1.2, 1, 0.1, {}})->couples_pixels());
  EXPECT_TRUE(make_qggmrf_prior({2, 1.2, 1, 0.1, {0, 1, 0}})->couples_pixels());
  EXPECT_FALSE(make_qggmrf_prior({2, 1.2, 1, 0.1, {0, 0, 1}})->couples_pixels());
}

TEST(QGGMRFCouplings, OutputsOfAnotherShapeAreRefused) {
  Volume const x = random_volume({3, 4, 20}, 7, 0.3f);
  auto const prior = make_qggmrf_prior({2, 1.2, 1, 0.1, {}});
  VolumeShard const volume = testing_prior::whole_volume(x);
  Array1<int> const index("test::index", 2);
  Array1<float> const place("test::place", 2);
  PixelList const pixels{index, place, place};
  Cylinders const fits("test::out", volume.blocks.per_shard, 2, volume.blocks.lanes);
  Cylinders const small("test::out", volume.blocks.per_shard, 1, volume.blocks.lanes);

  EXPECT_THROW(prior->gradient_curvature_and_couplings(ExecSpace(), volume, pixels, fits, fits, {small, fits}), Error);
  EXPECT_THROW(prior->gradient_curvature_and_couplings(ExecSpace(), volume, pixels, fits, fits, {fits, small}), Error);
}

TEST(ProximalPrior, CouplesNoPixelsAndSaysSo) {
  auto const devices = DeviceSet::virtual_devices(1);
  Placement const slices = Placement::of_slices(devices, 20);
  ShardedVolume const input = make_volume(slices, 12, "input");
  auto const prior = make_proximal_prior(input, 0.1);
  Volume const x = random_volume({3, 4, 20}, 7, 0.3f);

  EXPECT_FALSE(prior->couples_pixels());
  EXPECT_THROW(testing_prior::couplings(*prior, x, all_pixels(x.shape), 1), Error);
}

}  // namespace
}  // namespace strata
