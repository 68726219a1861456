/// What parallel beams refuse, and pixel lists.
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.hpp"
#include "core/model/pixel_list_builder.hpp"
#include "geometries/parallel_beam.hpp"

namespace strata {
namespace {

ParallelBeamParams good() {
  ParallelBeamParams p;
  p.sinogram = {2, 3, 4};
  p.recon = {4, 4, 3};
  p.angles = {0.0, 1.0};
  return p;
}

/// What validate() says after `change`.
template <class F>
std::string complaint(F const& change) {
  ParallelBeamParams p = good();
  change(p);
  try {
    validate(p);
  } catch (InputError const& e) {
    return e.what();
  }
  return "";
}

TEST(ParallelBeam, AcceptsAScan) {
  EXPECT_EQ(complaint([](auto&) {}), "");
}

TEST(ParallelBeam, NamesWhatIsImpossible) {
  EXPECT_EQ(complaint([](auto& p) { p.sinogram.num_views = 0; }),
            "parallel beam: the sinogram must have at least one view, row and channel, got [0][3][4]");
  EXPECT_EQ(complaint([](auto& p) { p.recon.num_cols = -1; }),
            "parallel beam: the volume must have at least one row, column and slice, got [4][-1][3]");
  EXPECT_EQ(complaint([](auto& p) { p.recon.num_slices = 5; }),
            "parallel beam: the volume must have a slice for each detector row, 3, got 5 slices");
  EXPECT_EQ(complaint([](auto& p) { p.angles.pop_back(); }),
            "parallel beam: expected an angle for each of 2 views, got 1");
  EXPECT_EQ(complaint([](auto& p) { p.angles[1] = std::numeric_limits<double>::infinity(); }),
            "parallel beam: the angle of view 1 must be finite, got inf");
  EXPECT_EQ(complaint([](auto& p) { p.delta_det_channel = 0; }),
            "parallel beam: delta_det_channel must be positive and finite, got 0");
  EXPECT_EQ(complaint([](auto& p) { p.delta_voxel = -2; }),
            "parallel beam: delta_voxel must be positive and finite, got -2");
  EXPECT_EQ(complaint([](auto& p) { p.voxel_row_aspect = std::numeric_limits<double>::quiet_NaN(); }),
            "parallel beam: voxel_row_aspect must be positive and finite, got nan");
  EXPECT_EQ(complaint([](auto& p) { p.det_channel_offset = -std::numeric_limits<double>::infinity(); }),
            "parallel beam: det_channel_offset must be finite, got -inf");
}

TEST(ParallelBeam, ViewsOfADeviceLieOnGroups) {
  ParallelBeamParams p = good();
  p.sinogram.num_views = 70;  // groups of two and three
  p.angles.assign(70, 0.5);
  EXPECT_NO_THROW(make_parallel_beam(ExecSpace(), p, {4, 70}, SliceBlocks(3, 1)));
  EXPECT_THROW(make_parallel_beam(ExecSpace(), p, {0, 3}, SliceBlocks(3, 1)), Error);
}

TEST(PixelLists, ZOrderWalksSquaresWithinSquares) {
  std::vector<int> all(16);
  for (int i = 0; i < 16; ++i) all[i] = 15 - i;

  EXPECT_EQ(z_order(all, 4), (std::vector<int>{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}));
}

TEST(PixelLists, ZOrderKeepsRepeatedPixels) {
  EXPECT_EQ(z_order({7, 2, 7, 0}, 3), (std::vector<int>{0, 2, 7, 7}));
}

TEST(PixelLists, HoldIndexRowAndColumnInTheOrderGiven) {
  PixelList const list = make_pixel_list(ExecSpace(), {8, 1, 5}, 3);
  auto const row = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list.row);
  auto const col = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list.col);

  ASSERT_EQ(list.size(), 3);
  EXPECT_EQ(row(0), 2);
  EXPECT_EQ(col(0), 2);
  EXPECT_EQ(row(2), 1);
  EXPECT_EQ(col(2), 2);
  EXPECT_THROW(make_pixel_list(ExecSpace(), {-1}, 3), InputError);
}

}  // namespace
}  // namespace strata
