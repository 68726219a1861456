#include <gtest/gtest.h>

#include "drivers/support/deck_changes.hpp"

namespace strata {
namespace {

TEST(DeckChanges, AreThePathsWhoseValuesDiffer) {
  auto const changes = deck_changes("reconstruction: {sharpness: 1, snr_db: 30}\ngeometry: {angles: [0, 1]}\n",
                                    "geometry: {angles: [0, 2]}\nreconstruction: {snr_db: 30, sharpness: 2}\n");
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].path, "geometry.angles");
  EXPECT_EQ(changes[1].path, "reconstruction.sharpness");
  EXPECT_EQ(changes[1].before, "1");
  EXPECT_EQ(changes[1].now, "2");
}

TEST(DeckChanges, LeaveOutWhatOnlyOneDeckHas) {
  EXPECT_TRUE(deck_changes("a: {b: 1}", "a: {c: 2}\nd: 3\n").empty());
}

TEST(DeckChanges, ShowAValueThatBecameASection) {
  auto const changes = deck_changes("input: {weights: ones}", "input: {weights: {type: huber}}");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].before, "ones");
}

TEST(DeckChanges, DecideTheResultUnlessTheyOnlySayWhereToStopOrWhatToWrite) {
  for (auto const* path : {"reconstruction.sharpness", "geometry.angles", "input.sinogram.file", "denoise.sigma_x"})
    EXPECT_TRUE(decides_result(path)) << path;
  for (auto const* path : {"reconstruction.max_iterations", "reconstruction.stop_threshold_change_pct", "devices.use",
                           "output.file", "denoise.stop_threshold_change_pct", "logging.level"})
    EXPECT_FALSE(decides_result(path)) << path;
}

}  // namespace
}  // namespace strata
