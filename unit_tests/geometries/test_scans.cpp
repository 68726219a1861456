#include <gtest/gtest.h>

#include <functional>

#include "core/base/error.hpp"
#include "core/io/hdf5_writer.hpp"
#include "geometries/cone_scan.hpp"
#include "geometries/registry.hpp"

namespace strata {
namespace {

std::shared_ptr<Geometry const> from(std::string const& geometry, SinogramShape const& shape) {
  Deck const deck = Deck::parse("geometry:\n" + geometry, "scan.yaml");
  auto result = make_geometry(deck.section("geometry"), shape);
  deck.section("geometry").allow("use_ror_mask");
  deck.reject_unread();
  return result;
}

std::string message_of(std::function<void()> const& act) {
  try {
    act();
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

std::string message_of(std::string const& geometry, SinogramShape const& shape) {
  return message_of([&] { (void)from(geometry, shape); });
}

/// True when the message starts at `position` and contains `part`.
::testing::AssertionResult says(std::string const& message, std::string const& position, std::string const& part) {
  if (message.starts_with("scan.yaml:" + position) && message.find(part) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "message: " << message;
}

std::string const cone_deck =
    "  type: cone\n"
    "  angles: {start: 0, stop: 360, count: 4, unit: deg}\n"
    "  source_detector_dist: 200\n"
    "  source_iso_dist: 100\n";
SinogramShape const cone_shape{4, 20, 30};

std::vector<double> numbers(Geometry const& geometry, std::string const& name) {
  for (auto const& parameter : geometry.extra_parameters())
    if (parameter.name == name) return parameter.numbers;
  return {};
}

TEST(ConeScan, TakesItsGridAndMagnificationFromTheDistances) {
  auto const scan = from(cone_deck, cone_shape);
  EXPECT_EQ(scan->type(), "cone");
  EXPECT_EQ(scan->direct_name(), "fdk");
  EXPECT_EQ(scan->params().magnification, 2);
  EXPECT_EQ(scan->params().recon, (ReconShape{30, 30, 20}));
  EXPECT_EQ(scan->params().delta_voxel, 0.5);
  EXPECT_EQ(scan->slice_mean_damping().size(), 20u);
  EXPECT_EQ(scan->det_row_blocks(SliceBlocks(20, 2)).num_blocks(), 1);
}

TEST(ConeScan, KeepsAGivenSliceOffset) {
  EXPECT_EQ(from(cone_deck + "  recon_slice_offset: 3.5\n", cone_shape)->params().recon_slice_offset, 3.5);
  EXPECT_EQ(from(cone_deck + "  recon_slice_offset: 3.5\n  axial_pad_fraction: [1, 0]\n", cone_shape)
                ->params()
                .recon_slice_offset,
            3.5);
  EXPECT_LT(from(cone_deck + "  axial_pad_fraction: [1, 0]\n", cone_shape)->params().recon_slice_offset, 0);
}

TEST(ConeScan, ReadsHelicalShifts) {
  auto const scan = from(cone_deck + "  helical_z_shifts: {values: [-3, -1, 1, 3]}\n", cone_shape);
  EXPECT_EQ(numbers(*scan, "helical_z_shifts"), (std::vector<double>{-3, -1, 1, 3}));
  EXPECT_EQ(scan->params().recon.num_slices, 32);
  EXPECT_EQ(scan->row_fan().z_shifts, (std::vector<double>{-3, -1, 1, 3}));
  EXPECT_TRUE(scan->direct_filter().slice_weights.empty());
  auto const as_reference =
      from(cone_deck + "  helical_z_shifts: {values: [-3, -1, 1, 3]}\n  reference_mode: true\n", cone_shape);
  EXPECT_EQ(as_reference->direct_filter().slice_weights.size(), 32u);
  EXPECT_TRUE(as_reference->row_fan().angles.empty());
  EXPECT_TRUE(scan->ray_fan().helical);
  EXPECT_TRUE(from(cone_deck, cone_shape)->direct_filter().slice_weights.empty());
}

TEST(ConeScan, OfAnInfinitelyFarSourceHasNoCosineWeights) {
  auto const scan = from(
      "  type: cone\n  angles: {start: 0, stop: 360, count: 4, unit: deg}\n  source_detector_dist: .inf\n"
      "  source_iso_dist: .inf\n  use_curved_detector: true\n",
      cone_shape);
  EXPECT_EQ(scan->params().magnification, 1);
  auto const filter = scan->direct_filter();
  EXPECT_TRUE(filter.det_weights.empty());
  EXPECT_TRUE(filter.post_weights.empty());
  EXPECT_EQ(filter.fan_pitch, 0);
  for (double const s : scan->slice_mean_damping()) EXPECT_DOUBLE_EQ(s, 0.25);
}

TEST(ConeScan, WidenedKeepsItsChannelsWhereTheyAre) {
  auto const scan = from(cone_deck + "  det_channel_offset: 1.5\n  delta_det_channel: 2\n", cone_shape);
  auto const wide = scan->widened(5, 2);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->params().sinogram.num_det_channels, 37);
  EXPECT_EQ(wide->params().recon, scan->params().recon);
  for (int n = 0; n < 30; ++n) EXPECT_NEAR(wide->ray_fan().positions[n + 5], scan->ray_fan().positions[n], 1e-12);
}

TEST(ConeScan, NamesTheLineOfWhatIsWrong) {
  EXPECT_TRUE(
      says(message_of("  type: cone\n  angles: {values: [0, 1, 2, 3], unit: rad}\n  source_iso_dist: 3\n", cone_shape),
           "1:1", "source_detector_dist"));
  EXPECT_TRUE(
      says(message_of(cone_deck + "  axial_pad_fraction: [1, -1]\n", cone_shape), "6:23", "at least 0, got -1"));
  EXPECT_TRUE(says(message_of(cone_deck + "  axial_pad_fraction: [1, 1, 1]\n", cone_shape), "6:23", "[top, bottom]"));
  EXPECT_TRUE(
      says(message_of(cone_deck + "  helical_z_shifts: {values: [1, 2]}\n", cone_shape), "6:3", "expected 4 numbers"));
  EXPECT_TRUE(says(message_of(cone_deck + "  helical_z_shifts: 3\n", cone_shape), "6:21", "{values: [...]}"));
  EXPECT_TRUE(says(message_of("  type: cone\n  angles: {values: [0, 1, 2, 3], unit: rad}\n  source_iso_dist: 300\n"
                              "  source_detector_dist: 200\n",
                              cone_shape),
                   "4:20", "at most source_detector_dist"));
  EXPECT_TRUE(says(message_of(cone_deck + "  elevations: {values: [1]}\n", cone_shape), "6:3", "elevations"));
}

TEST(ConeScan, RefusesAVolumeThatReachesTheSource) {
  std::string const wide = cone_deck + "  recon_shape: [300, 300, 4]\n  delta_voxel: 0.5\n";
  EXPECT_EQ(message_of(wide, cone_shape), "");  // the ellipse ends at 75
  EXPECT_TRUE(says(message_of(wide + "  use_ror_mask: false\n", cone_shape), "6:16", "reaches 106.066"));
  EXPECT_TRUE(says(message_of(cone_deck + "  recon_shape: [4, 400, 4]\n  delta_voxel: 0.5\n", cone_shape), "6:16",
                   "stays clear of the source, 100 from the axis"));
}

TEST(TranslationScan, ReadsItsVectors) {
  std::string const deck =
      "  type: translation\n  source_detector_dist: 60\n  source_iso_dist: 30\n"
      "  translation_vectors: {values: [[-5, 0, -4], [5, 0, -4], [-5, 0, 4], [5, 0, 4]]}\n";
  auto const scan = from(deck, {4, 40, 40});
  EXPECT_EQ(scan->type(), "translation");
  EXPECT_EQ(scan->params().recon.num_cols, 20);
  EXPECT_EQ(scan->params().recon.num_slices, 16);
  EXPECT_GE(scan->params().recon.num_rows, 1);
  EXPECT_GT(scan->params().voxel_row_aspect, 5);
  auto const parameters = scan->extra_parameters();
  ASSERT_EQ(parameters.size(), 1u);
  EXPECT_EQ(parameters[0].columns, 3);
  EXPECT_EQ(parameters[0].numbers.size(), 12u);
  EXPECT_EQ(from(deck + "  voxel_row_aspect: 1\n", {4, 40, 40})->params().voxel_row_aspect, 1);
}

TEST(TranslationScan, NamesTheLineOfWhatIsWrong) {
  std::string const start = "  type: translation\n  source_detector_dist: 60\n  source_iso_dist: 30\n";
  EXPECT_TRUE(says(message_of(start, {1, 4, 4}), "1:1", "translation_vectors"));
  EXPECT_TRUE(
      says(message_of(start + "  translation_vectors: {values: [[1, 2]]}\n", {1, 4, 4}), "5:33", "three numbers"));
  EXPECT_TRUE(says(message_of(start + "  translation_vectors: {values: [[1, 2, 3]]}\n", {2, 4, 4}), "5:3",
                   "expected 2 vectors"));
  EXPECT_TRUE(says(message_of(start + "  translation_vectors: {values: [[1, -28, 3]]}\n  recon_shape: [10, 4, 4]\n"
                                      "  delta_voxel: 0.5\n  voxel_row_aspect: 1\n",
                              {1, 4, 4}),
                   "6:16", "reaches 30.5"));
  EXPECT_TRUE(says(message_of("  type: translation\n  source_detector_dist: .inf\n  source_iso_dist: 30\n"
                              "  translation_vectors: {values: [[1, 2, 3]]}\n",
                              {1, 4, 4}),
                   "3:25", "finite"));
}

TEST(MultiAxisScan, ReadsTwoAnglesAView) {
  auto const scan = from(
      "  type: multiaxis_parallel\n  azimuths: {start: 0, stop: 180, count: 6, unit: deg}\n"
      "  elevations: {start: 30, stop: 30, count: 6, unit: deg}\n  recon_slice_offset: 1.5\n",
      {6, 10, 12});
  EXPECT_EQ(scan->type(), "multiaxis_parallel");
  EXPECT_EQ(scan->direct_name(), "fbp");
  EXPECT_EQ(scan->params().recon, (ReconShape{12, 12, 11}));
  EXPECT_EQ(scan->params().recon_slice_offset, 1.5);
  EXPECT_NEAR(numbers(*scan, "elevations")[5], 0.5235987755982988, 1e-12);
}

TEST(Scans, ReadViewsFromFiles) {
  std::string const file = ::testing::TempDir() + "test_scans.h5";
  AtomicHdf5Writer writer(file);
  writer.write<double>("/translation_vectors", {2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6});
  writer.write<double>("/z", {4}, std::vector<double>{0, 1, 2, 3});
  writer.commit();
  auto const translation = from(
      "  type: translation\n  source_detector_dist: 60\n  source_iso_dist: 30\n  translation_vectors: {file: " + file +
          "}\n",
      {2, 8, 8});
  EXPECT_EQ(translation->extra_parameters()[0].numbers, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  auto const helical = from(cone_deck + "  helical_z_shifts: {file: " + file + ", dataset: /z}\n", cone_shape);
  EXPECT_EQ(numbers(*helical, "helical_z_shifts"), (std::vector<double>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace strata
