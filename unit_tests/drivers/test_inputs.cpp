#include "drivers/support/inputs.hpp"
#include "drivers/support/weights_source.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/io/hdf5_writer.hpp"
#include "drivers/support/denoise_job.hpp"
#include "drivers/support/recon_run.hpp"
#include "unit_tests/io/scratch.hpp"

namespace strata {
namespace {

constexpr int views = 6, rows = 3, channels = 8;

/// A file with data for a small scan, and decks beside it.
struct Inputs : Scratch {
  Inputs() {
    AtomicHdf5Writer writer(file("scan.h5"));
    std::vector<float> const ones(views * rows * channels, 1);
    writer.write("/sinogram", {views, rows, channels}, ones);
    writer.write("/flat", {views, rows * channels}, ones);
    writer.write("/empty", {0, rows, channels}, std::vector<float>{});
    writer.write("/half", {views, rows, channels}, std::vector<float>(ones.size(), 0.5f));
    writer.write("/zeros", {views, rows, channels}, std::vector<float>(ones.size(), 0));
    writer.write("/mask", {2, 3}, std::vector<float>{0, 1, 1, 0, 0, 1});
    writer.write("/nothing", {2, 3}, std::vector<float>(6, 0));
    writer.commit();
  }

  Deck deck(std::string const& content) const { return Deck::parse(content, file("deck.yaml")); }
  Deck input(std::string const& entry) const { return deck("input: {" + entry + "}\n"); }
  std::string refusal_of_shape(std::string const& content, std::optional<DatasetName> const& sinogram) const {
    return message_of<InputError>([&] { read_sinogram_shape(deck(content), sinogram); });
  }
};

TEST_F(Inputs, AMissingKeyIsNothingUnlessItIsRequired) {
  auto const nothing = input("");

  EXPECT_FALSE(find_dataset(nothing.section("input"), "sinogram", "/sinogram").has_value());
  EXPECT_NE(message_of<InputError>([&] {
              require_dataset(nothing.section("input"), "sinogram", "/sinogram");
            }).find("input.sinogram: expected {file:, dataset:}, got none"),
            std::string::npos);
}

TEST_F(Inputs, PathsAreRelativeToTheDeckAndDatasetsHaveDefaultNames) {
  auto const name = require_dataset(input("sinogram: {file: scan.h5}").section("input"), "sinogram", "/sinogram");

  EXPECT_EQ(name.file, file("scan.h5"));
  EXPECT_EQ(name.dataset, "/sinogram");
}

TEST_F(Inputs, FilesAndDatasetsThatAreNotThereAreRefusedWhenTheDeckIsRead) {
  auto const refusal = [&](std::string const& entry) {
    auto const wrong = input(entry);
    return message_of<InputError>([&] { require_dataset(wrong.section("input"), "sinogram", "/sinogram"); });
  };

  EXPECT_NE(refusal("sinogram: {file: other.h5}").find("other.h5: cannot open"), std::string::npos);
  EXPECT_NE(refusal("sinogram: {file: scan.h5, dataset: /sino}").find("no dataset '/sino': the file has"),
            std::string::npos);
  EXPECT_NE(refusal("sinogram: scan.h5").find("expected {file:, dataset:}"), std::string::npos);
}

TEST_F(Inputs, TheShapeComesFromTheSinogramOrFromTheDeckAndMustAgree) {
  DatasetName const sinogram{file("scan.h5"), "/sinogram"};
  SinogramShape const shape{views, rows, channels};

  EXPECT_EQ(read_sinogram_shape(deck("geometry: {}\n"), sinogram), shape);
  EXPECT_EQ(read_sinogram_shape(deck("geometry: {sinogram_shape: [6, 3, 8]}\n"), sinogram), shape);
  EXPECT_EQ(read_sinogram_shape(deck("geometry: {sinogram_shape: [6, 3, 8]}\n"), std::nullopt), shape);
  EXPECT_NE(refusal_of_shape("geometry: {sinogram_shape: [6, 8, 3]}\n", sinogram).find("[6, 3, 8], got [6, 8, 3]"),
            std::string::npos);
  EXPECT_NE(refusal_of_shape("geometry: {}\n", std::nullopt).find("got none, and no sinogram is read"),
            std::string::npos);
  EXPECT_NE(refusal_of_shape("geometry: {sinogram_shape: [6, 0, 8]}\n", std::nullopt).find("at least 1, got 0"),
            std::string::npos);
}

TEST_F(Inputs, ASinogramHasThreeAxesAndNoneIsEmpty) {
  EXPECT_THROW(sinogram_shape_of({file("scan.h5"), "/flat"}), InputError);
  EXPECT_THROW(sinogram_shape_of({file("scan.h5"), "/empty"}), InputError);
}

TEST_F(Inputs, WeightsAreADatasetOrAModelOrNothing) {
  auto const read = [&](std::string const& entry) {
    return read_weights_source(input(entry).section("input"), {6, 3, 8});
  };
  EXPECT_FALSE(read("").given());
  EXPECT_FALSE(read("weights: {type: unweighted}").given());
  EXPECT_EQ(std::get<WeightModel>(read("weights: {type: emission}").base), WeightModel::emission);
  EXPECT_EQ(std::get<DatasetName>(read("weights: {file: scan.h5, dataset: /half}").base).dataset, "/half");
  EXPECT_THROW(read("weights: 1"), InputError);
  EXPECT_THROW(read("weights: {}"), InputError);
}

TEST_F(Inputs, WeightsMayFollowMetalErrorsAndMasks) {
  auto const read = [&](std::string const& entry) {
    return read_weights_source(input("weights: {" + entry + "}").section("input"), {6, 3, 8});
  };
  auto const metal = std::get<MetalSource>(read("type: metal, beta: 2, gamma: 5, threshold: 0.5").base);
  EXPECT_EQ(metal.options.beta, 2);
  EXPECT_EQ(metal.options.gamma, 5);
  EXPECT_EQ(*metal.options.threshold, 0.5);
  EXPECT_FALSE(metal.image);
  auto const huber =
      read("type: huber, threshold: 3, delta: 0.5, scale: inliers, rounds: 2, base: {type: transmission}");
  EXPECT_EQ(huber.huber->options.threshold, 3);
  EXPECT_EQ(huber.huber->options.delta, 0.5);
  EXPECT_TRUE(huber.huber->options.clipped_scale);
  EXPECT_EQ(huber.huber->rounds, 2);
  EXPECT_EQ(std::get<WeightModel>(huber.base), WeightModel::transmission);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read("type: huber").base));
  EXPECT_FALSE(read("type: huber").huber->options.clipped_scale);
  auto const masked = read("masked_views: [0, 5]");
  EXPECT_EQ(masked.masked_views, (std::vector<int>{0, 5}));
  EXPECT_TRUE(masked.given());
  for (char const* wrong : {"type: metal, beta: 0", "type: metal, gamma: -1", "type: huber, threshold: 0",
                            "type: huber, delta: 1.5", "type: huber, delta: -0.1", "type: huber, scale: some",
                            "type: huber, rounds: 0", "type: huber, base: 1", "type: huber, base: {type: huber}",
                            "masked_views: [6]", "masked_views: [-1]", "dead_pixels: {file: nowhere.h5}"})
    EXPECT_THROW(read(wrong), InputError) << wrong;
}

TEST_F(Inputs, TheRegionIsAnEllipseEverythingOrADataset) {
  auto const region = [&](std::string const& entry, ReconShape const& shape) {
    return read_region_mask(deck("geometry: {" + entry + "}\n").section("geometry"), shape);
  };

  EXPECT_EQ(region("use_ror_mask: false", {2, 3, 1}), std::vector<bool>(6, true));
  EXPECT_EQ(region("use_ror_mask: {file: scan.h5, dataset: /mask}", {2, 3, 1}),
            (std::vector<bool>{false, true, true, false, false, true}));
  EXPECT_EQ(region("", {1, 4, 1}), std::vector<bool>(4, true));
  EXPECT_THROW(region("use_ror_mask: {file: scan.h5, dataset: /mask}", {3, 2, 1}), InputError);
  EXPECT_THROW(region("use_ror_mask: {file: scan.h5, dataset: /nothing}", {2, 3, 1}), InputError);
}

TEST_F(Inputs, ARegionWithoutPixelsIsRefusedForEveryAlgorithm) {
  // The ellipse of two by two pixels touches none of their centres.
  auto const geometry = deck("geometry: {}\n");

  EXPECT_NE(message_of<InputError>([&] {
              read_region_mask(geometry.section("geometry"), {2, 2, 3});
            }).find("there are none in a plane of 2 x 2 pixels"),
            std::string::npos);
}

std::string const scan_deck =
    "input: {sinogram: {file: scan.h5}%}\n"
    "geometry: {type: parallel, angles: {start: 0, stop: 180, count: 6, unit: deg}}\n";

TEST_F(Inputs, TheDenoiserHasThePriorOfAReconstruction) {
  auto const read = [&](std::string const& keys) {
    return read_denoise_job(deck("input: {image: {file: scan.h5, dataset: /sinogram}}\ndenoise: {" + keys + "}\n"));
  };
  QGGMRFParams const defaults;
  auto const plain = read("").prior;
  EXPECT_EQ(plain.p, defaults.p);
  EXPECT_EQ(plain.q, defaults.q);
  EXPECT_EQ(plain.T, defaults.T);
  EXPECT_EQ(plain.nbr_wts.slice, 1);

  auto const given = read("p: 1.9, q: 1.1, T: 0.5, qggmrf_nbr_wts: [1, 2, 3]").prior;
  EXPECT_EQ(given.p, 1.9);
  EXPECT_EQ(given.q, 1.1);
  EXPECT_EQ(given.T, 0.5);
  EXPECT_EQ(given.nbr_wts.row, 1);
  EXPECT_EQ(given.nbr_wts.col, 2);
  EXPECT_EQ(given.nbr_wts.slice, 3);

  EXPECT_THROW(read("q: 2.5"), InputError);
  EXPECT_NE(message_of<InputError>([&] {
              read_recon_settings(deck("reconstruction: {q: 2.5}").section("reconstruction"));
            }).find("reconstruction.q: must be at least 0 and at most p = 2, got 2.5"),
            std::string::npos);
}

TEST_F(Inputs, EverythingThatAReconstructionReadsMustFit) {
  auto const refusal = [&](std::string const& more, std::string const& rest) {
    std::string content = scan_deck + rest;
    content.replace(content.find('%'), 1, more);
    return message_of<InputError>([&] { read_recon_job(deck(content)); });
  };

  EXPECT_EQ(refusal("", ""), "");
  EXPECT_NE(refusal(", weights: {file: scan.h5, dataset: /flat}", "").find("expected 3 axes"), std::string::npos);
  EXPECT_NE(refusal(", initial_image: {file: scan.h5, dataset: /half}", "").find("expected shape [8][8][3]"),
            std::string::npos);
  EXPECT_NE(refusal(", prox_input: {file: scan.h5, dataset: /half}", "").find("expected shape [8][8][3]"),
            std::string::npos);
  EXPECT_NE(refusal("", "reconstruction: {algorithm: prox}\n").find("prox_input"), std::string::npos);
  EXPECT_NE(refusal("", "reconstruction: {algorithm: fdk}\n").find("expected fbp"), std::string::npos);
  EXPECT_NE(refusal("", "reconstruction: {partition_sequence: []}\n").find("expected at least one index"),
            std::string::npos);
  EXPECT_NE(refusal("", "reconstruction: {granularity: []}\n").find("expected at least one number"), std::string::npos);
  EXPECT_NE(refusal("", "reconstruction: {max_iterations: 100001}\n").find("from 0 to 100000"), std::string::npos);
}

}  // namespace
}  // namespace strata
