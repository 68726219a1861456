#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "core/base/error.hpp"
#include "drivers/support/centre.hpp"
#include "drivers/support/preprocess.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata {
namespace {

constexpr double pi = std::numbers::pi;

struct Scan {
  SinogramShape shape;
  std::vector<double> angles;
  std::vector<float> sinogram;
  CentreInput input() const { return {sinogram, shape, angles}; }
};

/// Ellipses seen around an axis at channel `axis`; each channel holds the mean over its width.
Scan ellipses(int num_channels, double axis, std::vector<double> angles, int num_rows = 2) {
  struct Ellipse {
    double x, y, a, b, value;
  };
  double const r = num_channels / 2.0;
  Ellipse const objects[] = {{0.05 * r, -0.1 * r, 0.5 * r, 0.35 * r, 0.02},
                             {-0.2 * r, 0.1 * r, 0.1 * r, 0.06 * r, 0.05},
                             {0.25 * r, 0.05 * r, 0.05 * r, 0.15 * r, -0.015},
                             {0.1 * r, -0.25 * r, 0.03 * r, 0.03 * r, 0.2}};
  Scan scan{{static_cast<int>(angles.size()), num_rows, num_channels}, std::move(angles), {}};
  for (double const angle : scan.angles)
    for (int row = 0; row < num_rows; ++row)
      for (int c = 0; c < num_channels; ++c) {
        double sum = 0;
        for (Ellipse const& e : objects)
          for (double const part : {-0.375, -0.125, 0.125, 0.375}) {
            double const u = c + part - axis - (e.x * std::cos(angle) - e.y * std::sin(angle));
            double const half = std::hypot(e.a * std::cos(angle), e.b * std::sin(angle));
            if (std::abs(u) < half)
              sum += 0.25 * e.value * (1 + 0.3 * row) * 2 * e.a * e.b * std::sqrt(half * half - u * u) / (half * half);
          }
        scan.sinogram.push_back(static_cast<float>(sum));
      }
  return scan;
}

std::vector<double> turn(double degrees, int count, bool endpoint = false, double start = 0) {
  std::vector<double> angles;
  for (int v = 0; v < count; ++v) angles.push_back((start + degrees * v / (endpoint ? count - 1 : count)) * pi / 180);
  return angles;
}

TEST(Centre, OfARealScanIsWhereItsAuthorsFoundIt) {
  std::string const tooth = STRATA_SCAN_DATA "/tooth.h5";
  auto const floats = [&](char const* name) {
    auto const values = golden::read(tooth, name).values;
    return std::vector<float>(values.begin(), values.end());
  };
  FlatField field;
  field.num_rows = 2;
  field.num_channels = 640;
  field.dark = average_frames(floats("exchange/data_dark"), 10, FrameAverage::mean);
  field.flat = average_frames(floats("exchange/data_white"), 10, FrameAverage::mean);
  std::vector<float> views = floats("exchange/data");
  PreprocessCounts counts;
  LineIntegrals(field).convert(views, counts);
  std::vector<double> angles = golden::read(tooth, "exchange/theta").values;
  for (double& angle : angles) angle *= pi / 180;

  CentreEstimate const centre = find_centre({views, {181, 2, 640}, angles});

  EXPECT_NEAR(centre.channel, 296.0, 0.25);
  EXPECT_NEAR(centre.offset_channels, -23.5, 0.25);
  EXPECT_NEAR(centre.registration, 296.0, 0.25);
  EXPECT_NEAR(centre.centre_of_mass, 296.0, 0.25);
  EXPECT_FALSE(centre.truncated);
  EXPECT_FALSE(centre.doubtful);
}

TEST(Centre, IsFoundForOffsetsOfBothSignsOverHalfAndWholeTurns) {
  for (int const channels : {128, 161})
    for (double const offset : {-17.3, -4.5, -0.25, 0.0, 0.1, 3.0, 12.62}) {
      double const axis = (channels - 1) / 2.0 + offset;
      for (auto const& angles :
           {turn(180, 180), turn(180, 181, true), turn(360, 180), turn(360, 181), turn(360, 361, true),
            turn(200, 200, false, 77), turn(-180, 150), turn(180, 150, false, 300)}) {
        CentreEstimate const centre = find_centre(ellipses(channels, axis, angles, 1).input());
        std::string const what =
            text(channels, " channels, offset ", offset, ", ", angles.size(), " views to ", angles.back() * 180 / pi);
        EXPECT_NEAR(centre.channel, axis, 0.1) << what;
        EXPECT_NEAR(centre.offset_channels, offset, 0.1) << what;
        EXPECT_NEAR(centre.registration, axis, 0.1) << what;
        EXPECT_NEAR(centre.centre_of_mass, axis, 0.1) << what;
        EXPECT_FALSE(centre.doubtful) << what;
      }
    }
}

TEST(Centre, IsFoundInNoise) {
  std::mt19937_64 engine(3);
  std::normal_distribution<float> noise(0, 0.05f);
  for (double const degrees : {180.0, 360.0}) {
    Scan scan = ellipses(200, 91.7, turn(degrees, 180), 4);
    for (float& s : scan.sinogram) s += noise(engine);
    EXPECT_NEAR(find_centre(scan.input()).channel, 91.7, 0.25) << degrees;
  }
}

TEST(Centre, OrderOfTheViewsDoesNotMatter) {
  Scan const sorted = ellipses(128, 60.4, turn(180, 90), 1);
  std::vector<double> angles = sorted.angles;
  std::shuffle(angles.begin(), angles.end(), std::mt19937(1));
  EXPECT_NEAR(find_centre(ellipses(128, 60.4, angles, 1).input()).channel, find_centre(sorted.input()).channel, 1e-9);
}

TEST(Centre, CoarseAnglesFallBackOnTheCentreOfMass) {
  CentreEstimate const centre = find_centre(ellipses(256, 120.3, turn(180, 18), 1).input());
  EXPECT_EQ(centre.channel, centre.centre_of_mass);
  EXPECT_NEAR(centre.channel, 120.3, 0.1);
}

TEST(Centre, TruncatedObjectIsRegisteredInTheOverlap) {
  // The detector sees a good half of the object: the outer channels of a wide scan are cut away.
  Scan const wide = ellipses(300, 150.2, turn(360, 360), 1);
  Scan cut{{360, 1, 170}, wide.angles, {}};
  for (int view = 0; view < 360; ++view)
    cut.sinogram.insert(cut.sinogram.end(), wide.sinogram.begin() + view * 300,
                        wide.sinogram.begin() + view * 300 + 170);
  CentreEstimate const centre = find_centre(cut.input());
  EXPECT_TRUE(centre.truncated);
  EXPECT_NEAR(centre.channel, 150.2, 0.25);
}

TEST(Centre, RefusesTooSmallARangeInASentence) {
  try {
    find_centre(ellipses(64, 30, turn(150, 151, true), 1).input());
    FAIL() << "accepted";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(),
                 "centre: the views must cover 180 degrees (less one step at most) to find the rotation axis, they "
                 "cover 150 degrees in steps of 1; give det_channel_offset instead");
  }
}

TEST(Centre, RefusesWhatHasNoCentre) {
  Scan scan = ellipses(64, 30, turn(180, 90), 1);
  scan.sinogram[100] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(find_centre(scan.input()), InputError);
  std::ranges::fill(scan.sinogram, 0.0f);
  EXPECT_THROW(find_centre(scan.input()), InputError);
  scan.angles.assign(90, 0.0);
  EXPECT_THROW(find_centre(ellipses(64, 30, scan.angles, 1).input()), InputError);
  scan.angles.pop_back();
  EXPECT_THROW(find_centre(scan.input()), InputError);
}

}  // namespace
}  // namespace strata
