/// Sums over views have the bits of one fixed tree, and nothing depends on the number of threads.
#include <gtest/gtest.h>

#include "unit_tests/geometries/projector_fixture.hpp"
#include "unit_tests/support/tool_watch.hpp"

namespace strata {
namespace {

using namespace testing_support;

ParallelBeamParams scan_with(int views) {
  ParallelBeamParams p;
  p.sinogram = {views, 3, 13};
  p.recon = {9, 8, 3};
  p.angles = half_turn(views);
  return p;
}

class ViewTree : public testing::TestWithParam<int> {};

TEST_P(ViewTree, JoinedNodesHaveTheBitsOfTheRoot) {
  ParallelBeamParams const params = scan_with(GetParam());
  auto const pixels = pixels_of(params.recon);
  Values const y = random_values(params.sinogram.size(), 4), x = random_values(Index(pixels.size()) * 3, 5);
  for (KernelChoice const kernels : {KernelChoice::best, KernelChoice::teams}) {
    ProjectorRun const whole(params, pixels, 1, kernels);
    ASSERT_EQ(whole.devices().front().projector().nodes().size(), 1U);
    Values const root = whole.back(y);
    auto const fused = whole.descend(x, 0.1F, {}, y, true);

    for (int const devices : {2, 3, 5}) {
      ProjectorRun const split(params, pixels, devices, kernels);
      EXPECT_EQ(split.back(y), root) << devices << " devices";
      EXPECT_EQ(split.descend(x, 0.1F, {}, y, true), fused) << devices << " devices";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Views, ViewTree, testing::Values(1, 7, 24, 33, 65, 180, 256, 1000),
                         testing::PrintToStringParamName());

TEST(ProjectorOrder, GroupsOfAViewAreSummedInTheOrderOfTheTree) {
  ParallelBeamParams const params = scan_with(7);  // one view a group
  auto const pixels = pixels_of(params.recon);
  Values const y = random_values(params.sinogram.size(), 4);
  ProjectorRun const run(params, pixels);
  std::vector<Values> leaf;
  auto const& device = run.devices().front();
  Sinogram const shard = device.sinogram(y);
  for (int view = 0; view < 7; ++view) {
    Cylinders const out = device.empty_cylinders(Position::by_entry, 1);
    device.projector().back_project(device.exec(), {0, view}, shard, 1, {0, 1}, device.pixels(), Position::by_entry,
                                    out);
    device.read(out, Position::by_entry, {0, 1}, leaf.emplace_back(pixels.size() * 3));
  }

  Values const root = run.back(y);

  for (std::size_t i = 0; i < root.size(); ++i) {
    float const left = (leaf[0][i] + leaf[1][i]) + (leaf[2][i] + leaf[3][i]);
    float const right = (leaf[4][i] + leaf[5][i]) + leaf[6][i];
    EXPECT_EQ(root[i], left + right);
  }
}

TEST(ProjectorOrder, CallsAllocateNothing) {
  ParallelBeamParams const params = scan_with(40);
  auto const pixels = pixels_of(params.recon);
  ProjectorRun const run(params, pixels);
  auto const& device = run.devices().front();
  Values const x = random_values(Index(pixels.size()) * 3, 1), y = random_values(params.sinogram.size(), 2);
  CylinderBand const band = device.band(x, Position::by_entry);
  Sinogram const error = device.sinogram(y), weights = device.sinogram(y);
  Cylinders const out = device.empty_cylinders(Position::by_entry, 1);
  Array1<double> const per_view("per_view", 40);
  Projector const& projector = device.projector();

  test::ToolWatch const watch;
  projector.forward_project(device.exec(), band, error);
  projector.back_project(device.exec(), projector.nodes().front(), error, 1, {0, 1}, device.pixels(),
                         Position::by_entry, out);
  projector.curvature(device.exec(), band, weights, per_view);
  projector.descend(device.exec(), {band, 0.1F}, weights, error);
  projector.descend_and_back_project(device.exec(), {band, 0.1F}, weights, error, device.pixels(), out);

  EXPECT_EQ(watch.events().allocations, 0);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(ProjectorOrder, ResultsDoNotDependOnTheNumberOfThreads) {
  ParallelBeamParams params = scan_with(45);
  params.sinogram = {45, 37, 61};
  params.recon = {51, 57, 37};
  auto const pixels = pixels_of(params.recon, 2);
  Values const x = random_values(Index(pixels.size()) * 37, 1), y = random_values(params.sinogram.size(), 2);
  ProjectorRun const one(params, pixels, 1, KernelChoice::best, ExecSpace(1));
  ProjectorRun const two(params, pixels, 1, KernelChoice::best, ExecSpace(2));

  EXPECT_EQ(one.forward(x), two.forward(x));
  EXPECT_EQ(one.back(y), two.back(y));
  EXPECT_EQ(one.curvature(x, y), two.curvature(x, y));
  EXPECT_EQ(one.descend(x, 0.5F, y, y, true), two.descend(x, 0.5F, y, y, true));
}
#endif

}  // namespace
}  // namespace strata
