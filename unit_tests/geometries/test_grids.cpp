#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "geometries/cone_grid.hpp"
#include "geometries/multiaxis_grid.hpp"
#include "geometries/parallel_grid.hpp"
#include "geometries/translation_grid.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

constexpr char const* golden_file = "auto_geometry.h5";
constexpr double infinity = std::numeric_limits<double>::infinity();

/// One set of the golden file.
struct Set {
  std::string name;
  std::vector<double> numbers(std::string const& key) const {
    return golden::attribute(golden_file, name + "/parameters", key);
  }
  double number(std::string const& key) const { return numbers(key)[0]; }
  SinogramShape sinogram() const {
    auto const shape = numbers("sinogram_shape");
    return {int(shape[0]), int(shape[1]), int(shape[2])};
  }
  ReconShape recon() const {
    auto const shape = numbers("recon_shape");
    return {int(shape[0]), int(shape[1]), int(shape[2])};
  }
  golden::Array views(std::string const& key) const { return golden::read(golden_file, name + "/views/" + key); }
};

std::vector<Set> sets_of(std::string const& geometry) {
  std::vector<Set> sets;
  for (auto const& name : golden::names(golden_file, "/"))
    if (golden::has_attribute(golden_file, name, "geometry") &&
        golden::text_attribute(golden_file, name, "geometry") == geometry)
      sets.push_back({name});
  return sets;
}

template <class Input>
Input input_of(Set const& set) {
  Input input;
  input.sinogram = set.sinogram();
  input.delta_det_channel = set.number("delta_det_channel");
  input.delta_det_row = set.number("delta_det_row");
  input.voxel_row_aspect = set.number("voxel_row_aspect");
  return input;
}

TEST(AutomaticGrid, OfParallelBeamsIsTheReferencesInReferenceMode) {
  auto const sets = sets_of("parallel");
  ASSERT_GE(sets.size(), 5u);
  for (auto const& set : sets) {
    auto const grid = automatic_parallel_grid(input_of<ParallelGridInput>(set), true);
    EXPECT_EQ(grid.recon, set.recon()) << set.name;
    EXPECT_DOUBLE_EQ(grid.delta_voxel, set.number("delta_voxel")) << set.name;
  }
}

ConeGridInput cone_input(Set const& set) {
  auto input = input_of<ConeGridInput>(set);
  input.det_channel_offset = set.number("det_channel_offset");
  input.det_row_offset = set.number("det_row_offset");
  input.source_detector_dist = set.number("source_detector_dist");
  input.source_iso_dist = set.number("source_iso_dist");
  input.use_curved_detector = set.number("use_curved_detector") != 0;
  input.voxel_slice_aspect = set.number("voxel_slice_aspect");
  auto const views = set.views("view_params_array");
  input.z_shift_min = infinity;
  input.z_shift_max = -infinity;
  for (std::size_t v = 1; v < views.values.size(); v += 2) {
    input.z_shift_min = std::min(input.z_shift_min, views.values[v]);
    input.z_shift_max = std::max(input.z_shift_max, views.values[v]);
  }
  auto const pad = set.numbers("axial_pad_fraction");
  input.pad_top = pad.front();
  input.pad_bottom = pad.back();
  input.elliptic_mask = set.number("use_ror_mask") != 0;
  return input;
}

TEST(AutomaticGrid, OfConeBeamsIsTheReferencesInReferenceMode) {
  auto const sets = sets_of("cone");
  ASSERT_GE(sets.size(), 5u);
  for (auto const& set : sets) {
    auto const grid = automatic_cone_grid(cone_input(set), true);
    EXPECT_EQ(grid.recon, set.recon()) << set.name;
    EXPECT_NEAR(grid.delta_voxel, set.number("delta_voxel"), 1e-12) << set.name;
    EXPECT_NEAR(grid.recon_slice_offset, set.number("recon_slice_offset"), 1e-6) << set.name;
  }
}

TEST(AutomaticGrid, OfMultiAxisBeamsIsTheReferencesInReferenceMode) {
  auto const sets = sets_of("multiaxis");
  ASSERT_GE(sets.size(), 5u);
  for (auto const& set : sets) {
    auto input = input_of<MultiAxisGridInput>(set);
    input.voxel_slice_aspect = set.number("voxel_slice_aspect");
    auto const angles = set.views("angles");
    for (std::size_t v = 1; v < angles.values.size(); v += 2) input.elevations.push_back(angles.values[v]);
    auto const grid = automatic_multiaxis_grid(input, true);
    EXPECT_EQ(grid.recon, set.recon()) << set.name;
    EXPECT_DOUBLE_EQ(grid.delta_voxel, set.number("delta_voxel")) << set.name;
  }
}

TranslationGridInput translation_input(Set const& set) {
  TranslationGridInput input;
  input.sinogram = set.sinogram();
  input.delta_det_channel = set.number("delta_det_channel");
  input.delta_det_row = set.number("delta_det_row");
  input.source_detector_dist = set.number("source_detector_dist");
  input.source_iso_dist = set.number("source_iso_dist");
  input.voxel_slice_aspect = set.number("voxel_slice_aspect");
  auto const vectors = set.views("translation_vectors");
  for (std::size_t i = 0; i < vectors.values.size(); i += 3)
    input.translation_vectors.push_back({vectors.values[i], vectors.values[i + 1], vectors.values[i + 2]});
  return input;
}

TEST(AutomaticGrid, OfTranslationsIsTheReferencesInReferenceMode) {
  auto const sets = sets_of("translation");
  ASSERT_GE(sets.size(), 5u);
  int automatic = 0;
  for (auto const& set : sets) {
    auto input = translation_input(set);
    // The file has the aspect that was used: a given one, or what the constructor found for detector pitches of 1.
    input.voxel_row_aspect = set.number("voxel_row_aspect");
    auto const grid = automatic_translation_grid(input, true);
    auto at_first = translation_input(set);
    at_first.delta_det_channel = at_first.delta_det_row = 1;
    automatic +=
        std::abs(automatic_translation_grid(at_first, true).voxel_row_aspect / *input.voxel_row_aspect - 1) < 1e-6;
    EXPECT_EQ(grid.recon, set.recon()) << set.name;
    EXPECT_NEAR(grid.delta_voxel, set.number("delta_voxel"), 1e-6) << set.name;
  }
  EXPECT_GE(automatic, 2);
}

ConeGridInput cone() {
  ConeGridInput input;
  input.sinogram = {100, 60, 100};
  input.source_detector_dist = 1000;
  input.source_iso_dist = 500;
  return input;
}

TEST(ConeGrid, OfASmallFanHasOneVoxelForEachChannelAndRow) {
  EXPECT_EQ(automatic_cone_grid(cone(), false).recon, (ReconShape{100, 100, 60}));
  EXPECT_DOUBLE_EQ(automatic_cone_grid(cone(), false).delta_voxel, 0.5);
  EXPECT_EQ(automatic_cone_grid(cone(), true).recon, (ReconShape{100, 100, 60}));
}

TEST(ConeGrid, NeverReachesTheSourceHoweverWideTheFan) {
  auto input = cone();
  input.sinogram.num_det_channels = 20000;
  auto const grid = automatic_cone_grid(input, false);
  EXPECT_LE(grid.recon.num_cols * grid.delta_voxel / 2, 500);
  EXPECT_NEAR(grid.recon.num_cols * grid.delta_voxel / 2, 500 * std::sin(std::atan(10.0)), 0.5);
}

TEST(ConeGrid, OfADisplacedDetectorCoversWhatItsWiderSideSees) {
  auto input = cone();
  input.det_channel_offset = 40;
  EXPECT_EQ(automatic_cone_grid(input, false).recon.num_cols, 180);
  EXPECT_EQ(automatic_cone_grid(input, true).recon.num_cols, 100);
}

TEST(ConeGrid, FollowsADetectorDisplacedAlongItsRowsByWholeSlices) {
  auto input = cone();
  input.det_row_offset = 0.4;
  EXPECT_EQ(automatic_cone_grid(input, false).recon_slice_offset, 0);
  input.det_row_offset = 20.3;
  EXPECT_DOUBLE_EQ(automatic_cone_grid(input, false).recon_slice_offset, -10);
}

TEST(ConeGrid, OfAnInfinitelyFarSourceIsThatOfParallelBeams) {
  auto input = cone();
  input.source_detector_dist = infinity;
  auto const grid = automatic_cone_grid(input, false);
  EXPECT_EQ(grid.recon, (ReconShape{100, 100, 60}));
  EXPECT_EQ(grid.delta_voxel, 1);
}

TEST(ConeGrid, OfACurvedDetectorCoversTheSineOfItsFan) {
  auto input = cone();
  input.sinogram.num_det_channels = 1000;
  input.use_curved_detector = true;
  EXPECT_EQ(automatic_cone_grid(input, false).recon.num_cols, int(std::ceil(2 * 500 * std::sin(0.5) / 0.5)));
}

TEST(ConeGrid, PadsWhatTheRaysReachBeyondTheSlicesAtTheAxis) {
  auto input = cone();
  input.source_detector_dist = 200;
  input.source_iso_dist = 100;
  auto const plain = automatic_cone_grid(input, false);
  input.pad_top = 1;
  auto const top = automatic_cone_grid(input, false);
  input.pad_bottom = 1;
  auto const both = automatic_cone_grid(input, false);
  int const added = top.recon.num_slices - plain.recon.num_slices;
  // The outermost ray is at 30 / 200 of its distance; the cylinder ends 24.5 beyond the axis.
  double const radius = plain.recon.num_cols * plain.delta_voxel / 2;
  EXPECT_EQ(added, int(std::ceil(radius * 30 / 200 / plain.delta_voxel)));
  EXPECT_EQ(both.recon.num_slices, plain.recon.num_slices + 2 * added);
  EXPECT_DOUBLE_EQ(top.recon_slice_offset, -added * plain.delta_voxel / 2);
  EXPECT_DOUBLE_EQ(both.recon_slice_offset, 0);
}

TEST(ConeGrid, OfAHelixCoversTheTravel) {
  auto input = cone();
  input.z_shift_min = -10;
  input.z_shift_max = 20;
  auto const grid = automatic_cone_grid(input, false);
  EXPECT_EQ(grid.recon.num_slices, 60 + 60);
  EXPECT_DOUBLE_EQ(grid.recon_slice_offset, 5);
}

TEST(MultiAxisGrid, CountsARatioThatIsWholeUpToRoundingAsWhole) {
  MultiAxisGridInput input;
  input.sinogram = {10, 6, 30};
  input.delta_det_channel = input.delta_det_row = 0.3;
  input.elevations.assign(10, 0.0);
  EXPECT_EQ(automatic_multiaxis_grid(input, false).recon, (ReconShape{30, 30, 6}));
}

TranslationGridInput translation() {
  TranslationGridInput input;
  input.sinogram = {9, 40, 80};
  input.source_detector_dist = 120;
  input.source_iso_dist = 60;
  for (int x = -1; x <= 1; ++x)
    for (int z = -1; z <= 1; ++z) input.translation_vectors.push_back({10.0 * x, 0, 8.0 * z});
  return input;
}

TEST(TranslationGrid, PairsEachPitchWithItsOwnSlope) {
  auto input = translation();
  // Row pitch / vertical slope = 0.5 / (40 / 480); the channels resolve more.
  auto const square = automatic_translation_grid(input, false);
  EXPECT_NEAR(square.voxel_row_aspect * square.delta_voxel, 4 * 0.5 / (40.0 / 480), 1e-9);
  // Transposing detector and translations transposes the volume.
  std::swap(input.sinogram.num_det_rows, input.sinogram.num_det_channels);
  for (auto& vector : input.translation_vectors) std::swap(vector[0], vector[2]);
  auto const transposed = automatic_translation_grid(input, false);
  EXPECT_EQ(transposed.recon.num_rows, square.recon.num_rows);
  EXPECT_EQ(transposed.recon.num_cols, square.recon.num_slices);
  EXPECT_EQ(transposed.recon.num_slices, square.recon.num_cols);
}

TEST(TranslationGrid, HasAtLeastOneVoxelAlongEachAxis) {
  auto input = translation();
  input.sinogram = {9, 8, 8};
  for (auto& vector : input.translation_vectors) vector = {0, vector[1], 0};
  EXPECT_EQ(automatic_translation_grid(input, false).recon, (ReconShape{1, 1, 1}));
  EXPECT_EQ(automatic_translation_grid(translation_input(sets_of("translation")[0]), false).recon.num_rows > 0, true);
}

TEST(TranslationGrid, HasCubicVoxelsWhenAskedForThem) {
  auto input = translation();
  input.voxel_row_aspect = 1;
  EXPECT_EQ(automatic_translation_grid(input, false).voxel_row_aspect, 1);
  EXPECT_GT(automatic_translation_grid(input, true).voxel_row_aspect, 10);
}

}  // namespace
}  // namespace strata
