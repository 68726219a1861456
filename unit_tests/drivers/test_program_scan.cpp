#include <gtest/gtest.h>

#include <numbers>

#include "core/base/error.hpp"
#include "core/io/hdf5_writer.hpp"
#include "drivers/support/scan.hpp"

namespace strata {
namespace {

constexpr int views = 7, rows = 5, channels = 6;

float count_at(int view, int row, int channel) {
  return static_cast<float>(view * 100 + row * 10 + channel);
}

std::string scan_file() {
  std::string const path = testing::TempDir() + "strata_scan.h5";
  AtomicHdf5Writer writer(path);
  std::vector<float> counts;
  for (int v = 0; v < views; ++v)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < channels; ++c) counts.push_back(count_at(v, r, c));
  std::vector<float> flats(counts.begin(), counts.begin() + 3 * rows * channels);
  writer.write("/exchange/data", {views, rows, channels}, counts);
  writer.write("/exchange/data_white", {3, rows, channels}, flats);
  writer.write("/exchange/theta", {views}, std::vector<double>{0, 10, 20, 30, 40, 50, 60});
  writer.set_attribute("/exchange/theta", "units", "degrees");
  writer.commit();
  return path;
}

TEST(Scan, PartsAreWhatIndexingTheFileGives) {
  Deck const deck = Deck::parse("input: {scan: " + scan_file() +
                                "}\npreprocess: {rows: [1, 4], channels: [2, 5], views: [1, 7, 2]}\n");

  Scan const scan = open_scan(deck);
  std::vector<float> values(2 * 3 * 3);
  read_views(scan, {1, 3}, values.data());

  EXPECT_EQ(scan.part.shape(), (SinogramShape{3, 3, 3}));
  EXPECT_EQ(scan.part.views, (std::vector{1, 3, 5}));
  for (int i = 0; i < 18; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(i)], count_at(3 + 2 * (i / 9), 1 + i / 3 % 3, 2 + i % 3));
  ASSERT_EQ(scan.angles.size(), 3u);
  EXPECT_DOUBLE_EQ(scan.angles[2], 50 * std::numbers::pi / 180);
}

TEST(Scan, AveragesAreThoseOfTheWantedPart) {
  Deck const deck = Deck::parse("input: {scan: " + scan_file() + "}\npreprocess: {rows: [1, 4], channels: [2, 5]}\n");
  Scan const scan = open_scan(deck);

  auto const mean = average_of(scan.flats, scan.part, FrameAverage::mean);

  ASSERT_EQ(mean.size(), 9u);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(mean[static_cast<std::size_t>(i)], count_at(1, 1 + i / 3, 2 + i % 3));
  EXPECT_FALSE(scan.darks.has_value());
}

TEST(Scan, PartsMayStandInOtherFiles) {
  std::string const other = testing::TempDir() + "strata_scan_flats.h5";
  AtomicHdf5Writer writer(other);
  writer.write("/open", {1, rows, channels}, std::vector<float>(rows * channels, 7));
  writer.commit();
  Deck const deck = Deck::parse("input: {scan: " + scan_file() + ", flats: {file: " + other +
                                ", dataset: /open}, angles: {start: 0, stop: 70, count: 7, unit: deg}}\n");

  Scan const scan = open_scan(deck);

  EXPECT_EQ(scan.flats.num_frames, 1);
  EXPECT_EQ(average_of(scan.flats, scan.part, FrameAverage::median)[0], 7);
  EXPECT_DOUBLE_EQ(scan.angles[6], 60 * std::numbers::pi / 180);
  EXPECT_EQ(scan.files.size(), 2u);
}

/// Line integrals stored [det_row][view][channel].
std::string line_integrals_file(bool with_attribute) {
  std::string const path = testing::TempDir() + "strata_scan_lines" + (with_attribute ? "_axes.h5" : ".h5");
  AtomicHdf5Writer writer(path);
  std::vector<float> values;
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < views; ++v)
      for (int c = 0; c < channels; ++c) values.push_back(count_at(v, r, c));
  writer.write("/lines", {rows, views, channels}, values);
  if (with_attribute) writer.set_attribute("/lines", "axes", "det_row, view, channel");
  writer.commit();
  return path;
}

Scan open_line_integrals(std::string const& file, std::string const& axes) {
  return open_scan(Deck::parse("input: {line_integrals: {file: " + file + ", dataset: /lines" + axes +
                               "}, angles: {start: 0, stop: 70, count: 7, unit: deg}}\n" +
                               "preprocess: {rows: [1, 4], channels: [2, 5], views: [1, 7, 2]}\n"));
}

TEST(Scan, LineIntegralsComeInTheOrderOfViewsRowsAndChannelsWhateverTheFileHas) {
  for (bool const with_attribute : {false, true}) {
    std::string const axes = with_attribute ? "" : ", axes: [det_row, view, channel]";
    Scan const scan = open_line_integrals(line_integrals_file(with_attribute), axes);
    std::vector<float> values(2 * 3 * 3);
    read_views(scan, {1, 3}, values.data());

    EXPECT_EQ(scan.full, (SinogramShape{views, rows, channels}));
    for (int i = 0; i < 18; ++i)
      EXPECT_EQ(values[static_cast<std::size_t>(i)], count_at(3 + 2 * (i / 9), 1 + i / 3 % 3, 2 + i % 3));
  }
}

TEST(Scan, LineIntegralsWithoutKnownAxesAreRefused) {
  std::string const file = line_integrals_file(false);

  for (char const* axes :
       {"", ", axes: [view, channel]", ", axes: [view, view, channel]", ", axes: [row, view, channel]"})
    EXPECT_THROW(open_line_integrals(file, axes), InputError) << axes;
}

}  // namespace
}  // namespace strata
