/// The projector of parallel beams against values of the reference implementation.
#include <gtest/gtest.h>

#include <cmath>

#include "unit_tests/geometries/golden_projections.hpp"

namespace strata {
namespace {

using namespace testing_support;

ParallelBeamParams params_of(std::string const& file) {
  ParallelBeamParams p;
  read_common(file, p);
  p.angles = golden::read(file, "views/angles").values;
  return p;
}

class ParallelGolden : public testing::TestWithParam<std::string> {
 protected:
  std::string const file = GetParam() + ".h5";
  ParallelBeamParams const params = params_of(file);
  int const slices = params.recon.num_slices;
};

TEST_P(ParallelGolden, ProjectionsOfThePlaneAgree) {
  auto const inside = masked_pixels(file, params.recon);
  ProjectorRun const run(params, inside), all(params, pixels_of(params.recon));
  Values const random = in_float(golden::read(file, "random_sinogram").values);

  Values const forward = run.forward(in_float(rows_at(golden::read(file, "phantom").values, inside, slices)));
  Values const back = run.back(random);
  Values const hessian = all.back(Values(random.size(), 1.0F), 2);

  expect_agreement(forward, golden::read(file, "sinogram").values, "sinogram");
  expect_agreement(back, rows_at(golden::read(file, "back_projection").values, inside, slices), "back_projection");
  expect_agreement(hessian, rows_at(golden::read(file, "hessian_diagonal").values, pixels_of(params.recon), slices),
                   "hessian_diagonal");
}

TEST_P(ParallelGolden, ProjectionsOfASubsetAgree) {
  ProjectorRun const run(params, integers(golden::read(file, "sparse/pixel_indices").values));
  Values const random = in_float(golden::read(file, "random_sinogram").values);
  Values magnitude = random;
  for (auto& v : magnitude) v = std::abs(v);

  expect_agreement(run.forward(in_float(golden::read(file, "sparse/voxel_values").values)),
                   golden::read(file, "sparse/forward_projection").values, "sparse/forward_projection");
  expect_agreement(run.back(random), golden::read(file, "sparse/back_projection").values, "sparse/back_projection");
  expect_agreement(run.back(magnitude, 2), golden::read(file, "sparse/back_projection_squared").values,
                   "sparse/back_projection_squared");
}

INSTANTIATE_TEST_SUITE_P(Files, ParallelGolden,
                         testing::Values("parallel_basic", "parallel_few_view_aspect", "parallel_fine_voxels",
                                         "parallel_limited_angle", "parallel_odd_nonsquare"),
                         [](auto const& file) { return file.param; });

}  // namespace
}  // namespace strata
