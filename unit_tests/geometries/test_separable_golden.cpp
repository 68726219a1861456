/// Projectors that couple slices against values of the reference implementation.
#include <gtest/gtest.h>

#include <tuple>

#include "unit_tests/geometries/test_separable_run.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

using namespace testing_support;

double number(std::string const& file, std::string const& name) {
  return golden::has_attribute(file, "parameters", name) ? golden::attribute(file, "parameters", name).at(0) : 0;
}

std::vector<int> integers(std::vector<double> const& values) {
  return {values.begin(), values.end()};
}
Values in_float(std::vector<double> const& values) {
  return {values.begin(), values.end()};
}

void read_common(std::string const& file, SeparableScanParams& p) {
  auto const sino = integers(golden::attribute(file, "parameters", "sinogram_shape"));
  auto const recon = integers(golden::attribute(file, "parameters", "recon_shape"));
  p.sinogram = {sino[0], sino[1], sino[2]};
  p.recon = {recon[0], recon[1], recon[2]};
  p.delta_det_channel = number(file, "delta_det_channel");
  p.delta_det_row = number(file, "delta_det_row");
  p.det_channel_offset = number(file, "det_channel_offset");
  p.det_row_offset = number(file, "det_row_offset");
  p.delta_voxel = number(file, "delta_voxel");
  p.voxel_row_aspect = number(file, "voxel_row_aspect");
  p.voxel_slice_aspect = number(file, "voxel_slice_aspect");
  p.recon_slice_offset = number(file, "recon_slice_offset");
  p.reference_mode = true;
}

SeparableScan scan_of(std::string const& file) {
  auto const type = golden::text_attribute(file, "parameters", "geometry");
  if (type == "multiaxis") {
    MultiAxisParams p;
    read_common(file, p);
    p.azimuths = golden::read(file, "views/azimuths").values;
    p.elevations = golden::read(file, "views/elevations").values;
    return p;
  }
  if (type == "translation") {
    TranslationParams p;
    read_common(file, p);
    p.source_detector_dist = number(file, "source_detector_dist");
    p.source_iso_dist = number(file, "source_iso_dist");
    auto const t = golden::read(file, "views/translation_vectors").values;
    for (std::size_t v = 0; v < t.size(); v += 3) p.translation_vectors.push_back({t[v], t[v + 1], t[v + 2]});
    return p;
  }
  ConeBeamParams p;
  read_common(file, p);
  p.source_detector_dist = number(file, "source_detector_dist");
  p.source_iso_dist = number(file, "source_iso_dist");
  p.curved = number(file, "use_curved_detector") != 0;
  p.angles = golden::read(file, "views/angles").values;
  if (golden::exists(file, "views/helical_z_shifts")) p.z_shifts = golden::read(file, "views/helical_z_shifts").values;
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

std::vector<int> masked_pixels(std::string const& file, ReconShape const& recon) {
  auto const mask = golden::read(file, "parameters/ror_mask").values;
  std::vector<int> pixels;
  for (std::size_t p = 0; p < mask.size(); ++p)
    if (mask[p] != 0) pixels.push_back(static_cast<int>(p));
  return z_order(pixels, recon.num_cols);
}

class SeparableGolden : public testing::TestWithParam<std::tuple<std::string, KernelChoice>> {
 protected:
  std::string const file = std::get<0>(GetParam()) + ".h5";
  KernelChoice const kernels = std::get<1>(GetParam());
  SeparableScan const scan = scan_of(file);
  int const slices = scan.recon.num_slices;
};

TEST_P(SeparableGolden, ProjectionsAgree) {
  auto const pixels = masked_pixels(file, scan.recon);
  SeparableRun const run(scan, pixels, kernels, 3);

  expect_agreement(run.forward(in_float(rows_at(golden::read(file, "phantom").values, pixels, slices))),
                   golden::read(file, "sinogram").values, "forward");
  expect_agreement(run.back(in_float(golden::read(file, "random_sinogram").values)),
                   rows_at(golden::read(file, "back_projection").values, pixels, slices), "back");
}

TEST_P(SeparableGolden, HessianDiagonalAgrees) {
  auto const pixels = pixels_of(scan.recon);
  SeparableRun const run(scan, pixels, kernels);

  expect_agreement(run.back(Values(static_cast<std::size_t>(scan.sinogram.size()), 1.0F), 2),
                   rows_at(golden::read(file, "hessian_diagonal").values, pixels, slices), "Hessian");
}

TEST_P(SeparableGolden, SparseProjectionsAgree) {
  auto const pixels = integers(golden::read(file, "sparse/pixel_indices").values);
  auto const sino = in_float(golden::read(file, "random_sinogram").values);
  Values magnitudes;
  for (float const value : sino) magnitudes.push_back(std::abs(value));
  SeparableRun const run(scan, pixels, kernels);

  expect_agreement(run.forward(in_float(golden::read(file, "sparse/voxel_values").values), Position::by_entry),
                   golden::read(file, "sparse/forward_projection").values, "forward");
  expect_agreement(run.back(sino, 1, Position::by_entry), golden::read(file, "sparse/back_projection").values, "back");
  expect_agreement(run.back(magnitudes, 2, Position::by_entry),
                   golden::read(file, "sparse/back_projection_squared").values, "squared");
}

INSTANTIATE_TEST_SUITE_P(Files, SeparableGolden,
                         testing::Combine(testing::Values("cone_basic", "cone_curved_pad", "cone_helical",
                                                          "cone_large_angle", "cone_odd_offsets", "cone_offset_limited",
                                                          "translation_basic", "translation_offsets",
                                                          "multiaxis_laminography", "multiaxis_varied"),
                                          all_kernels()),
                         [](auto const& test) {
                           return std::get<0>(test.param) +
                                  (std::get<1>(test.param) == KernelChoice::best ? "" : "_teams");
                         });

TEST(SeparableGoldenMid, ForwardProjectionAgrees) {
  std::string const file = "mid_cone.h5";
  SeparableScan const scan = scan_of(file);
  auto const pixels = masked_pixels(file, scan.recon);
  SeparableRun const run(scan, pixels);
  Values const sino =
      run.forward(in_float(rows_at(golden::read(file, "phantom").values, pixels, scan.recon.num_slices)));

  auto const reference = golden::read(file, "projection_checksums/forward_projection_every_16th_view").values;
  Values ours;
  Index const view = Index(scan.sinogram.num_det_rows) * scan.sinogram.num_det_channels;
  for (int v = 0; v < scan.sinogram.num_views; v += 16)
    ours.insert(ours.end(), sino.begin() + v * view, sino.begin() + (v + 1) * view);
  expect_agreement(ours, reference, "forward");
}

}  // namespace
}  // namespace strata
