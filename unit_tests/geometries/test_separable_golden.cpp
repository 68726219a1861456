/// Projectors that couple slices against values of the reference implementation.
#include <gtest/gtest.h>

#include <tuple>

#include "unit_tests/geometries/golden_projections.hpp"
#include "unit_tests/geometries/test_separable_run.hpp"

namespace strata {
namespace {

using namespace testing_support;

void read_separable(std::string const& file, SeparableScanParams& p) {
  read_common(file, p);
  p.det_row_offset = parameter(file, "det_row_offset");
  p.voxel_slice_aspect = parameter(file, "voxel_slice_aspect");
  p.recon_slice_offset = parameter_or_zero(file, "recon_slice_offset");
  p.reference_mode = true;
}

SeparableScan scan_of(std::string const& file) {
  auto const type = golden::text_attribute(file, "parameters", "geometry");
  if (type == "multiaxis") {
    MultiAxisParams p;
    read_separable(file, p);
    p.azimuths = golden::read(file, "views/azimuths").values;
    p.elevations = golden::read(file, "views/elevations").values;
    return p;
  }
  if (type == "translation") {
    TranslationParams p;
    read_separable(file, p);
    p.source_detector_dist = parameter(file, "source_detector_dist");
    p.source_iso_dist = parameter(file, "source_iso_dist");
    auto const t = golden::read(file, "views/translation_vectors").values;
    for (std::size_t v = 0; v < t.size(); v += 3) p.translation_vectors.push_back({t[v], t[v + 1], t[v + 2]});
    return p;
  }
  ConeBeamParams p;
  read_separable(file, p);
  p.source_detector_dist = parameter(file, "source_detector_dist");
  p.source_iso_dist = parameter(file, "source_iso_dist");
  p.curved = parameter(file, "use_curved_detector") != 0;
  p.angles = golden::read(file, "views/angles").values;
  if (golden::exists(file, "views/helical_z_shifts")) p.z_shifts = golden::read(file, "views/helical_z_shifts").values;
  return p;
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
