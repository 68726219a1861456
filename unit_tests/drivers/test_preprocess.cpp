#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "drivers/support/preprocess.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

std::string const file = "preprocess.h5";

std::vector<float> floats(std::string const& dataset) {
  auto const values = golden::read(file, dataset).values;
  return {values.begin(), values.end()};
}

FlatField golden_field() {
  FlatField field;
  field.num_rows = 16;
  field.num_channels = 22;
  field.dark = average_frames(floats("transmission/dark_scan"), 3, FrameAverage::mean);
  field.flat = average_frames(floats("transmission/blank_scan"), 4, FrameAverage::mean);
  return field;
}

TEST(LineIntegrals, ReproduceTheReferenceWithAListOfDefectivePixels) {
  FlatField field = golden_field();
  auto const list = golden::read(file, "transmission/defective_pixels").values;
  for (std::size_t i = 0; i < list.size(); i += 2)
    field.defective.push_back({static_cast<int>(list[i]), static_cast<int>(list[i + 1])});
  std::vector<float> views = floats("transmission/object_scan");
  PreprocessCounts counts;

  LineIntegrals(field).convert(views, counts);

  EXPECT_LT(golden::max_relative({views.begin(), views.end()}, golden::read(file, "transmission/sinogram").values),
            1e-6);
  EXPECT_EQ(counts.clipped, 0);
  EXPECT_EQ(counts.interpolated, 6 * 4);
}

TEST(LineIntegrals, ReproduceTheReferenceWhereLightArrivedAndClipElsewhere) {
  std::vector<float> views = floats("transmission/object_scan_no_list");
  auto const expected = golden::read(file, "transmission/sinogram_no_list").values;
  std::vector<float> const counts_before = views;
  FlatField const field = golden_field();
  PreprocessCounts counts;

  LineIntegrals(field).convert(views, counts);

  Index dark = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    bool const above = counts_before[i] > field.dark[i % field.dark.size()];
    dark += !above;
    EXPECT_NEAR(views[i], above ? expected[i] : -std::log(1e-5), 1e-5) << i;
  }
  EXPECT_EQ(dark, 25);
  EXPECT_EQ(counts.clipped, dark);
  EXPECT_EQ(counts.interpolated, 0);
  EXPECT_EQ(counts.converted, 6 * 16 * 22);
}

FlatField small_field() {
  FlatField field;
  field.num_rows = 2;
  field.num_channels = 5;
  field.dark.assign(10, 10.0f);
  field.flat.assign(10, 110.0f);
  return field;
}

TEST(LineIntegrals, NothingThatIsNotFiniteLeaves) {
  FlatField field = small_field();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  field.flat[3] = 10;  // flat == dark
  field.flat[4] = 5;   // flat < dark
  field.flat[8] = nan;
  std::vector<float> views(20, 60.0f);
  views[0] = 10;  // == dark
  views[1] = 3;   // < dark
  views[2] = nan;
  views[7] = std::numeric_limits<float>::infinity();
  views[10] = -std::numeric_limits<float>::infinity();
  PreprocessCounts counts;

  LineIntegrals const line_integrals(field);
  line_integrals.convert(views, counts);

  EXPECT_EQ(line_integrals.num_dead_pixels(), 3);
  EXPECT_TRUE(std::ranges::all_of(views, [](float s) { return std::isfinite(s); }));
  EXPECT_EQ(counts.clipped, 2);
  EXPECT_EQ(counts.interpolated, 2 * 3 + 3);
  EXPECT_FLOAT_EQ(views[0], -std::log(1e-5f));
  EXPECT_FLOAT_EQ(views[5], std::log(2.0f));
  EXPECT_FLOAT_EQ(views[13], std::log(2.0f));
}

TEST(LineIntegrals, KeepSmallTransmissionsAboveTheFloor) {
  FlatField field = small_field();
  field.min_transmission = 1e-3;
  std::vector<float> views(10, 10.2f);  // transmission 0.002
  views[4] = 10.05f;                    // 0.0005
  PreprocessCounts counts;
  LineIntegrals(field).convert(views, counts);
  EXPECT_NEAR(views[0], -std::log(0.002), 1e-4);
  EXPECT_NEAR(views[4], -std::log(0.001), 1e-4);
  EXPECT_EQ(counts.clipped, 1);
}

TEST(LineIntegrals, BatchesGiveTheSameAsAllViewsAtOnce) {
  FlatField field = small_field();
  field.defective = {{0, 0}, {1, 4}};
  std::vector<float> all;
  for (int i = 0; i < 70; ++i) all.push_back(static_cast<float>(5 + (i * 37) % 100));
  std::vector<float> parts = all;
  PreprocessCounts all_counts, part_counts;
  LineIntegrals const line_integrals(field);

  line_integrals.convert(all, all_counts);
  for (auto const& [begin, size] : {std::pair{0, 20}, std::pair{20, 10}, std::pair{30, 40}})
    line_integrals.convert(std::span(parts).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)),
                           part_counts);

  EXPECT_EQ(all, parts);
  EXPECT_EQ(all_counts.clipped, part_counts.clipped);
  EXPECT_GT(all_counts.clipped, 0);
  EXPECT_EQ(all_counts.interpolated, part_counts.interpolated);
}

TEST(LineIntegrals, WithoutDarksCountsAreTakenAsTheyAre) {
  FlatField field = small_field();
  field.dark.clear();
  std::vector<float> views(10, 55.0f);
  PreprocessCounts counts;
  LineIntegrals(field).convert(views, counts);
  EXPECT_FLOAT_EQ(views[4], std::log(2.0f));
}

TEST(LineIntegrals, RefuseAnImpossibleFlatField) {
  FlatField swapped = small_field();
  std::swap(swapped.dark, swapped.flat);
  EXPECT_THROW(LineIntegrals{swapped}, InputError);
  FlatField short_flat = small_field();
  short_flat.flat.pop_back();
  EXPECT_THROW(LineIntegrals{short_flat}, InputError);
  FlatField outside = small_field();
  outside.defective = {{2, 0}};
  EXPECT_THROW(LineIntegrals{outside}, InputError);
}

TEST(LineIntegrals, RefuseAViewWithoutAnyFiniteCount) {
  std::vector<float> views(20, 60.0f);
  std::fill(views.begin() + 10, views.end(), std::numeric_limits<float>::quiet_NaN());
  PreprocessCounts counts;
  try {
    LineIntegrals(small_field()).convert(views, counts);
    FAIL() << "accepted";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(), "preprocess: a view must have a finite count in a live pixel, view 1 has none");
  }
}

TEST(Interpolation, FillsABlockFromItsRimInwards) {
  std::vector<float> values(49, 4.0f);
  std::vector<std::uint8_t> good(49, 1);
  for (int r = 1; r < 6; ++r)
    for (int c = 1; c < 6; ++c) {
      values[static_cast<std::size_t>(7 * r + c)] = std::numeric_limits<float>::quiet_NaN();
      good[static_cast<std::size_t>(7 * r + c)] = 0;
    }
  interpolate_from_neighbours(values, good, 7, 7);
  for (float const value : values) EXPECT_FLOAT_EQ(value, 4);
}

TEST(Interpolation, FillsADeadChannelOfASingleRowFromBothSides) {
  std::vector<float> values{1, 2, -7, 6, 9};
  std::vector<std::uint8_t> good{1, 1, 0, 1, 1};
  interpolate_from_neighbours(values, good, 1, 5);
  EXPECT_FLOAT_EQ(values[2], 4);
}

TEST(AverageFrames, MedianIgnoresAnOutlierAndMeanDoesNot) {
  std::vector<float> const frames{1, 10, 2, 10, 300, 11, 4, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(average_frames(frames, 4, FrameAverage::median), (std::vector<float>{3, 10}));
  EXPECT_FLOAT_EQ(average_frames(frames, 4, FrameAverage::mean)[0], 307 / 4.0f);
  EXPECT_THROW(average_frames({}, 0, FrameAverage::mean), InputError);
  EXPECT_THROW(parse_frame_average("mode"), InputError);
}

TEST(DoubtAboutLineIntegrals, NamesCountsAndTransmissionsAndAcceptsLineIntegrals) {
  std::vector<float> counts(40, 2000.0f), transmissions(40, 0.4f), line_integrals(40, 0.9f);
  for (std::size_t i = 0; i < 40; i += 10) {
    transmissions[i] = transmissions[i + 9] = 0.99f;
    line_integrals[i] = line_integrals[i + 9] = -0.001f;
  }
  EXPECT_NE(doubt_about_line_integrals(counts, 10).find("counts"), std::string::npos);
  EXPECT_NE(doubt_about_line_integrals(transmissions, 10).find("transmissions"), std::string::npos);
  EXPECT_EQ(doubt_about_line_integrals(line_integrals, 10), "");
}

}  // namespace
}  // namespace strata
