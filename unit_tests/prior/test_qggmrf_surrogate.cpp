#include <gtest/gtest.h>

#include <cmath>

#include "prior/qggmrf.hpp"
#include "prior/qggmrf_kernels.hpp"
#include "unit_tests/prior/sharded_prior.hpp"
#include "unit_tests/reference/qggmrf_reference.hpp"

namespace strata {
namespace {

using testing_prior::random_volume;
using testing_prior::Volume;
using testing_prior::whole_volume;

/// Sums over all parts and slices.
std::vector<double> totals(SliceBlocks const& blocks, Array3<double> const& partial) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), partial);
  std::vector<double> sums(partial.extent(1));
  for (int part = 0; part < partial.extent_int(0); ++part)
    for (int q = 0; q < partial.extent_int(1); ++q)
      for (int slice = 0; slice < blocks.num_slices; ++slice)
        sums[q] += host(part, q, blocks.block_of(slice) * blocks.lanes + blocks.lane_of(slice));
  return sums;
}

/// The same in double from the formula.
std::vector<double> expected(QGGMRFParams const& params, Volume const& x, std::vector<Volume> const& directions) {
  std::vector<double> sums(num_quadratic_sums(static_cast<int>(directions.size())));
  double const total = 2 * (params.nbr_wts.row + params.nbr_wts.col + params.nbr_wts.slice);
  auto const [rows, cols, slices] = x.shape;
  auto const add_pair = [&](Index from, Index to, double weight) {
    double const difference = double(x.values[to]) - x.values[from];
    double const c = weight / total * reference::qggmrf_curvature(params, difference);
    sums[0] += weight / total * reference::qggmrf_value(params, difference);
    std::size_t next = 1;
    std::vector<double> steps;
    for (auto const& d : directions) steps.push_back(double(d.values[to]) - d.values[from]);
    for (double const step : steps) sums[next++] += c * difference * step;
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t j = i; j < steps.size(); ++j) sums[next++] += c * steps[i] * steps[j];
  };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      for (int k = 0; k < slices; ++k) {
        Index const at = (Index(i) * cols + j) * slices + k;
        if (i + 1 < rows) add_pair(at, at + Index(cols) * slices, params.nbr_wts.row);
        if (j + 1 < cols) add_pair(at, at + slices, params.nbr_wts.col);
        if (k + 1 < slices) add_pair(at, at + 1, params.nbr_wts.slice);
      }
  return sums;
}

void expect_near(std::vector<double> const& sums, std::vector<double> const& wanted, char const* what) {
  for (std::size_t q = 0; q < wanted.size(); ++q)
    EXPECT_NEAR(sums[q], wanted[q], 2e-5 * std::abs(wanted[q]) + 1e-5 * std::abs(wanted.back())) << what << " " << q;
}

TEST(QGGMRFSurrogate, SumsAreThoseOfTheFormulaForRowsAndForVoxels) {
  QGGMRFParams const sets[] = {{2, 1.2, 1, 0.1, {}}, {2, 1, 0.7, 0.2, {1, 2, 3}}, {1.8, 1.05, 0.5, 0.03, {1, .5, .2}}};
  for (int const num_slices : {1, 7, 16, 33, 70})
    for (QGGMRFParams const& params : sets)
      for (int count = 0; count <= DirectionShards::most; ++count) {
        SCOPED_TRACE(testing::Message() << num_slices << " slices, p " << params.p << ", " << count << " directions");
        Volume const x = random_volume({13, 11, num_slices}, 3, 0.3f);
        std::vector<Volume> directions;
        DirectionShards shards;
        shards.count = count;
        for (int i = 0; i < count; ++i) {
          directions.push_back(random_volume(x.shape, 10 + i, 0.1f));
          shards.shards[i] = whole_volume(directions.back());
        }
        VolumeShard const volume = whole_volume(x);
        Array3<double> const partial("test::partial", Prior::surrogate_parts, num_quadratic_sums(count),
                                     volume.blocks.per_shard * volume.blocks.lanes);
        auto const wanted = expected(params, x, directions);

        make_qggmrf_prior(params)->surrogate_sums(ExecSpace(), volume, shards, partial);
        Kokkos::fence("test: read the sums");
        expect_near(totals(volume.blocks, partial), wanted, "rows");
        qggmrf_surrogate_by_voxel(ExecSpace(), QGGMRFPotential(params), volume, shards, partial);
        Kokkos::fence("test: read the sums");
        expect_near(totals(volume.blocks, partial), wanted, "voxels");
      }
}

}  // namespace
}  // namespace strata
