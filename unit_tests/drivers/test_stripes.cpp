#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/error.hpp"
#include "drivers/support/stripes.hpp"

namespace strata {
namespace {

constexpr int views = 12, rows = 5, channels = 64;
constexpr std::size_t view_values = std::size_t{rows} * channels;

/// Line integrals of a disc that wobbles from view to view, [view][row][channel].
std::vector<float> disc() {
  std::vector<float> values;
  for (int v = 0; v < views; ++v)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < channels; ++c) {
        double const x = (c - 31.5 - 3 * std::sin(v * 0.5)) / 26;
        values.push_back(static_cast<float>(std::sqrt(std::max(0.0, 1 - x * x))));
      }
  return values;
}

/// One number a pixel, another for each: +-0.3 and larger ones now and then.
std::vector<float> detector_errors() {
  std::vector<float> errors(view_values);
  unsigned state = 1;
  for (float& error : errors) {
    state = state * 1664525u + 1013904223u;
    error = 0.3f * (static_cast<float>(state >> 8) / 8388608.0f - 1);
    if (state % 31 == 0) error *= 5;
  }
  return errors;
}

double rms(std::vector<float> const& a, std::vector<float> const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double(a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

std::vector<float> without_stripes(std::vector<float> values, StripeWindow window) {
  StripeFinder finder(rows, channels);
  finder.add(values);
  subtract_stripes(values, finder.stripes(window));
  return values;
}

TEST(Stripes, OfTheDetectorAreTakenAwayAndTheObjectStays) {
  auto const object = disc();
  auto const errors = detector_errors();
  auto striped = object;
  for (std::size_t i = 0; i < striped.size(); ++i) striped[i] += errors[i % view_values];

  double const before = rms(striped, object);
  double const after = rms(without_stripes(striped, {5, 13}), object);

  EXPECT_GT(before, 0.2);
  EXPECT_LT(after, 0.3 * before);
}

TEST(Stripes, AProfileThatIsStraightAlongTheWindowIsNotTouchedAwayFromTheEdges) {
  std::vector<float> values;
  for (int v = 0; v < views; ++v)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < channels; ++c) values.push_back(0.5f + 0.02f * static_cast<float>(c) + static_cast<float>(v));
  StripeFinder finder(rows, channels);
  finder.add(values);

  auto const stripes = finder.stripes({3, 9});

  for (int r = 0; r < rows; ++r)
    for (int c = 6; c < channels - 6; ++c) EXPECT_NEAR(stripes[static_cast<std::size_t>(r * channels + c)], 0, 1e-5);
}

TEST(Stripes, AWildPixelLeavesItsNeighboursAlone) {
  std::vector<float> values(views * view_values, 1.0f);
  for (std::size_t v = 0; v < views; ++v) values[v * view_values + 2 * channels + 30] = 1000;
  StripeFinder finder(rows, channels);
  finder.add(values);

  auto const stripes = finder.stripes({1, 9});

  for (std::size_t p = 0; p < view_values; ++p) EXPECT_NEAR(stripes[p], p == 2 * channels + 30 ? 999 : 0, 1e-3);
}

TEST(Stripes, TheCutIntoBatchesDoesNotMatter) {
  auto const values = disc();
  StripeFinder whole(rows, channels);
  whole.add(values);
  StripeFinder pieces(rows, channels);
  std::span<float const> const all(values);
  pieces.add(all.first(5 * view_values));
  pieces.add(all.subspan(5 * view_values));

  EXPECT_EQ(whole.stripes({3, 7}), pieces.stripes({3, 7}));
}

TEST(Stripes, AnEvenWindowIsRefused) {
  StripeFinder finder(rows, channels);
  finder.add(disc());

  EXPECT_THROW(finder.stripes({2, 7}), InputError);
  EXPECT_THROW(finder.stripes({1, 0}), InputError);
}

}  // namespace
}  // namespace strata
