/// The projector of parallel beams and the automatic grid against values of the reference implementation.
#include <gtest/gtest.h>

#include <cmath>

#include "geometries/parallel_grid.hpp"
#include "unit_tests/geometries/projector_fixture.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

using namespace testing_support;

double number(std::string const& file, std::string const& object, std::string const& name) {
  return golden::attribute(file, object, name).at(0);
}

std::vector<int> integers(std::vector<double> const& values) {
  return {values.begin(), values.end()};
}
Values in_float(std::vector<double> const& values) {
  return {values.begin(), values.end()};
}

ParallelBeamParams params_of(std::string const& file) {
  std::string const object = "parameters";
  auto const sino = integers(golden::attribute(file, object, "sinogram_shape"));
  auto const recon = integers(golden::attribute(file, object, "recon_shape"));
  ParallelBeamParams p;
  p.sinogram = {sino[0], sino[1], sino[2]};
  p.recon = {recon[0], recon[1], recon[2]};
  p.angles = golden::read(file, "views/angles").values;
  p.delta_det_channel = number(file, object, "delta_det_channel");
  p.delta_det_row = number(file, object, "delta_det_row");
  p.det_channel_offset = number(file, object, "det_channel_offset");
  p.delta_voxel = number(file, object, "delta_voxel");
  p.voxel_row_aspect = number(file, object, "voxel_row_aspect");
  return p;
}

/// Rows of [pixel][slice] at `pixels`.
std::vector<double> rows_at(std::vector<double> const& volume, std::vector<int> const& pixels, int slices) {
  std::vector<double> rows;
  for (int const p : pixels)
    rows.insert(rows.end(), volume.begin() + Index(p) * slices, volume.begin() + (Index(p) + 1) * slices);
  return rows;
}

void expect_agreement(Values const& ours, std::vector<double> const& reference, char const* what) {
  EXPECT_LE(golden::nrmse(in_double(ours), reference), 2e-6) << what;
  EXPECT_LE(golden::max_relative(in_double(ours), reference), 1e-5) << what;
}

class ParallelGolden : public testing::TestWithParam<std::string> {
 protected:
  std::string const file = GetParam() + ".h5";
  ParallelBeamParams const params = params_of(file);
  int const slices = params.recon.num_slices;
};

TEST_P(ParallelGolden, ProjectionsOfThePlaneAgree) {
  auto const mask = golden::read(file, "parameters/ror_mask").values;
  std::vector<int> inside;
  for (std::size_t p = 0; p < mask.size(); ++p)
    if (mask[p] != 0) inside.push_back(static_cast<int>(p));
  inside = z_order(inside, params.recon.num_cols);
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

TEST(ParallelGrid, IsTheReferencesInReferenceMode) {
  std::string const file = "auto_geometry.h5";
  int compared = 0;
  for (auto const& set : golden::names(file, "/")) {
    if (golden::text_attribute(file, set, "geometry") != "parallel") continue;
    std::string const object = set + "/parameters";
    auto const sino = integers(golden::attribute(file, object, "sinogram_shape"));
    ParallelGridInput input;
    input.sinogram = {sino[0], sino[1], sino[2]};
    input.delta_det_channel = number(file, object, "delta_det_channel");
    input.delta_det_row = number(file, object, "delta_det_row");
    input.voxel_row_aspect = number(file, object, "voxel_row_aspect");

    VolumeGrid const grid = automatic_parallel_grid(input, true);

    auto const recon = integers(golden::attribute(file, object, "recon_shape"));
    EXPECT_EQ(grid.recon, (ReconShape{recon[0], recon[1], recon[2]})) << set;
    EXPECT_DOUBLE_EQ(grid.delta_voxel, number(file, object, "delta_voxel")) << set;
    ++compared;
  }
  EXPECT_GE(compared, 5);
}

}  // namespace
}  // namespace strata
