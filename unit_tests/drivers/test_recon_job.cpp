// What a deck that says nothing about passes and subsets gets.
#include "drivers/support/recon_job.hpp"

#include <gtest/gtest.h>

#include "core/io/hdf5_writer.hpp"
#include "unit_tests/io/scratch.hpp"

namespace strata {
namespace {

constexpr int num_channels = 80;

struct ReconJobs : Scratch {
  /// The job of a scan with `views` over `degrees`; its resolved deck is kept.
  ReconJob job(int views, int degrees, std::string const& reconstruction, std::string const& input = "") {
    AtomicHdf5Writer writer(file("scan.h5"));
    writer.write("/sinogram", {views, 1, num_channels}, std::vector<float>(std::size_t(views) * num_channels, 1));
    writer.commit();
    Deck const deck = Deck::parse(text("input: {sinogram: {file: scan.h5}", input,
                                       "}\ngeometry: {type: parallel, angles: {start: 0, stop: ", degrees,
                                       ", count: ", views, ", unit: deg}}\nreconstruction: {", reconstruction, "}\n"),
                                  file("deck.yaml"));
    ReconJob const found = read_recon_job(deck);
    resolved = deck.resolved();
    return found;
  }

  static int first_subsets(ReconJob const& job) {
    auto const& schedule = job.settings.schedule;
    return schedule.granularity[schedule.partition_sequence[0]];
  }

  std::string resolved;
};

TEST_F(ReconJobs, OfFullScansBeginWithSubsetsOfCells) {
  ReconJob const full = job(60, 180, "");

  EXPECT_EQ(full.settings.vcd.acceleration, Acceleration::subspace);
  EXPECT_TRUE(full.settings.vcd.cells.has_value());
  EXPECT_EQ(full.settings.schedule.cell_cols, num_channels);
  EXPECT_EQ(first_subsets(full), 64);
  EXPECT_EQ(full.coarse_start, "");
  // The resolved deck makes the same passes again.
  EXPECT_NE(resolved.find("partition_sequence: [2, 3"), std::string::npos) << resolved;
  EXPECT_NE(resolved.find("acceleration: subspace"), std::string::npos);
}

TEST_F(ReconJobs, OfLimitedAnglesAndFewViewsBeginOnCoarseGridsWithSinglePixels) {
  for (auto const& [views, degrees, reason] :
       {std::tuple(60, 120, "limited angle"), std::tuple(20, 180, "few views")}) {
    ReconJob const hard = job(views, degrees, "");
    EXPECT_EQ(hard.coarse_start, reason);
    EXPECT_FALSE(hard.settings.vcd.cells.has_value()) << reason;
    EXPECT_EQ(hard.settings.schedule.cell_cols, 0) << reason;
    EXPECT_EQ(first_subsets(hard), 128) << reason;
  }
}

TEST_F(ReconJobs, WithoutCoarseGridsOrADirectImageBeginWithFewSubsets) {
  EXPECT_EQ(first_subsets(job(60, 120, "coarse_start: false")), 4);
  EXPECT_EQ(first_subsets(job(60, 180, "", ", initial_image: 0")), 4);
}

TEST_F(ReconJobs, GiveTheSubsetsThatTheDeckNames) {
  ReconJob const given = job(60, 180, "granularity: [7, 9], partition_sequence: [1]");

  EXPECT_EQ(first_subsets(given), 9);
  EXPECT_TRUE(given.settings.vcd.cells.has_value());
}

TEST_F(ReconJobs, PlainPassesFollowTheReferencesScheduleAndStop) {
  for (auto const* plain : {"acceleration: none", "reference_mode: true"}) {
    ReconJob const found = job(60, 180, plain);
    EXPECT_EQ(found.settings.vcd.acceleration, Acceleration::none) << plain;
    EXPECT_FALSE(found.settings.vcd.cells.has_value()) << plain;
    EXPECT_EQ(first_subsets(found), 4) << plain;
    EXPECT_EQ(found.settings.schedule.max_iterations, 15) << plain;
    EXPECT_EQ(found.settings.vcd.stop_threshold_change_pct, 0.2) << plain;
    EXPECT_EQ(found.coarse_start, "") << plain;
  }
}

}  // namespace
}  // namespace strata
