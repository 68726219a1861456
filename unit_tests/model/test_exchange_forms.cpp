// Bands beside whole cylinders: the same bits, the same memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <string>

#include "geometries/cone_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "unit_tests/support/ct_case.hpp"
#include "unit_tests/support/tool_watch.hpp"

namespace strata::test {
namespace {

constexpr ExchangeForm bands = ExchangeForm::bands;
constexpr Index usual = 0, tiny = 1, much = Index(1) << 30;

struct FormSetting {
  int devices = 1;
  Memories memories = Memories::of_the_machine;
  ExchangeForm form = ExchangeForm::cylinders;
  Index bytes = usual;
  int turns = 0;
};

/// Values that are no pattern of any axis, of both signs.
std::vector<float> values_of(Index size) {
  std::vector<float> values(static_cast<std::size_t>(size));
  std::uint32_t state = 12345;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(state >> 8) / (1 << 24) - 0.25F;
  }
  return values;
}

/// All operators of one model, whose padding is NaN.
OperatorResults form_results_of(std::shared_ptr<Geometry const> const& geometry, std::vector<bool> const& mask,
                                FormSetting const& setting) {
  TomographyModel const model(DeviceSet::virtual_devices(setting.devices, setting.memories, setting.form), geometry,
                              mask, setting.bytes, setting.turns);
  auto const volume = model.make_volume("test::volume");
  auto const sinogram = model.make_sinogram("test::sinogram");
  from_host(model, values_of(model.recon_shape().size()), volume);
  from_host(model, values_of(model.sinogram_shape().size()), sinogram);
  return run_operators(model, volume, sinogram, std::numeric_limits<float>::quiet_NaN());
}

/// Bands on several devices, in every kind of memory, against one device.
void expect_same_bits(std::shared_ptr<Geometry const> const& geometry, std::vector<bool> const& mask) {
  OperatorResults const one = form_results_of(geometry, mask, {});
  EXPECT_TRUE(std::all_of(one.back.begin(), one.back.end(), [](float v) { return std::isfinite(v); }));
  EXPECT_TRUE(form_results_of(geometry, mask, {1, Memories::apart, bands}) == one) << "one device";
  for (int const devices : {2, 3, 5})
    for (Memories const memories : {Memories::of_the_machine, Memories::apart}) {
      SCOPED_TRACE(text(devices, " devices, memories apart: ", memories == Memories::apart));
      EXPECT_TRUE(form_results_of(geometry, mask, {devices, memories, bands}) == one);
      EXPECT_TRUE(form_results_of(geometry, mask, {devices, memories, bands, tiny, 2}) == one)
          << "batches, two buffers";
      EXPECT_TRUE(form_results_of(geometry, mask, {devices, memories, bands, much, 1}) == one) << "all pixels at once";
    }
}

class GoldenBands : public testing::TestWithParam<char const*> {};

TEST_P(GoldenBands, HaveTheBitsOfOneDevice) {
  CtCase const golden(GetParam());
  expect_same_bits(golden.geometry(), golden.mask());
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenBands,
                         testing::Values("parallel_odd_nonsquare", "cone_basic", "cone_helical", "translation_basic",
                                         "multiaxis_varied"),
                         [](auto const& test) { return std::string(test.param); });

/// Several blocks in each shard, in lengths that nothing divides. Few views: this is slow with sanitizers.
std::shared_ptr<Geometry const> tall_scan(bool cone, int views = 9) {
  GeometryParams params;
  params.sinogram = {views, cone ? 120 : 603, 27};
  params.recon = {23, 19, 603};
  std::vector<double> angles;
  for (int v = 0; v < views; ++v) angles.push_back(2 * std::numbers::pi * v / views);
  if (!cone) return make_parallel_scan(params, angles);
  params.delta_det_row = 3;
  params.delta_voxel = 0.4;
  params.voxel_slice_aspect = 0.9;
  return make_cone_scan({params, angles, {}, 90, 45, false, false});
}

/// Most pixels, in no pattern.
std::vector<bool> tall_mask() {
  std::vector<bool> mask(23 * 19);
  for (std::size_t p = 0; p < mask.size(); ++p) mask[p] = p * p % 7 != 3;
  return mask;
}

TEST(Bands, OfTallVolumesInParallelBeamsHaveTheBitsOfOneDevice) {
  expect_same_bits(tall_scan(false), tall_mask());
}

TEST(Bands, OfTallVolumesInConesHaveTheBitsOfOneDevice) {
  expect_same_bits(tall_scan(true), tall_mask());
}

TEST(Bands, OfAnEmptyRegionAreEmpty) {
  auto const geometry = tall_scan(false);
  std::vector<bool> const none(tall_mask().size(), false);
  OperatorResults const results = form_results_of(geometry, none, {3, Memories::apart, bands});
  auto const is_zero = [](float v) { return v == 0; };
  EXPECT_TRUE(std::all_of(results.forward.begin(), results.forward.end(), is_zero));
  EXPECT_TRUE(std::all_of(results.back.begin(), results.back.end(), is_zero));
}

constexpr int some_slices = 603, some_views = 41, some_pixels = 437;
using Way = ExchangePlan::Way;

ExchangePlan plan_of(Devices const& devices, Index bytes, int turns) {
  return ExchangePlan(Placement::of_slices(devices, some_slices), Placement::of_views(devices, some_views), some_pixels,
                      bytes, turns);
}

/// A band needs no more than there is: of partial sums, or of slices.
void expect_room(Devices const& devices, ExchangePlan const& plan, Way way) {
  NodeReduction const nodes(Placement::of_views(devices, some_views));
  Index const most = plan.band_values(way);
  for (int d = 0; d < devices->size(); ++d) {
    EXPECT_LE(most * (way == Way::back ? plan.turns() * nodes.num_nodes(d) : 1), plan.send_values(d));
    if (devices->share_memory()) continue;
    EXPECT_LE(most * (way == Way::back ? nodes.num_nodes() : plan.turns()), plan.receive_values(d));
  }
}

void expect_all_once(Devices const& devices, ExchangePlan const& plan, Way way) {
  SliceBlocks const blocks(some_slices, devices->size());
  std::vector<std::vector<int>> visits(static_cast<std::size_t>(blocks.num_blocks()), std::vector<int>(some_pixels));
  int turn = 0;
  for (auto const& [shard, pixels, its_turn] : plan.bands(way, some_pixels)) {
    EXPECT_EQ(its_turn, turn++ % plan.turns());
    EXPECT_EQ(pixels.begin % CylinderBand::part_alignment, 0);
    EXPECT_LE(Index(shard.blocks.size()) * pixels.size() * blocks.lanes, plan.band_values(way));
    int const first = blocks.blocks_of_shard(shard.owner).begin;
    for (int b = shard.blocks.begin; b < shard.blocks.end; ++b)
      for (int p = pixels.begin; p < pixels.end; ++p)
        ++visits[static_cast<std::size_t>(first + b)][static_cast<std::size_t>(p)];
  }
  for (auto const& block : visits) EXPECT_EQ(std::count(block.begin(), block.end(), 1), some_pixels);
}

TEST(Bands, FitIntoTheBuffersOfCylindersAndCoverEveryBlockAndPixelOnce) {
  for (int const num_devices : {2, 3, 5, 40})
    for (Memories const memories : {Memories::of_the_machine, Memories::apart})
      for (Index const bytes : {tiny, Index(1) << 20, much})
        for (int const turns : {1, 2}) {
          auto const devices = DeviceSet::virtual_devices(num_devices, memories);
          SCOPED_TRACE(text(num_devices, " devices, ", bytes, " bytes, ", turns, " turns"));
          ExchangePlan const plan = plan_of(devices, bytes, turns);
          for (Way const way : {Way::back, Way::forward}) {
            if (way == Way::forward && devices->share_memory()) continue;
            expect_room(devices, plan, way);
            expect_all_once(devices, plan, way);
          }
        }
}

TEST(Bands, AreCutIntoBatchesWhereMemoryIsShort) {
  auto const devices = DeviceSet::virtual_devices(2, Memories::apart);
  int const per_shard = SliceBlocks(some_slices, 2).per_shard;
  auto const bands_with = [&](Index bytes) { return plan_of(devices, bytes, 1).bands(Way::back, some_pixels); };
  ASSERT_GT(per_shard, 4);

  auto const whole = bands_with(much), batches = bands_with(tiny);

  EXPECT_EQ(whole.front().shard.blocks, (Range{0, 4}));
  EXPECT_EQ(whole.front().pixels, (Range{0, some_pixels}));
  EXPECT_EQ(whole.at(1).shard.blocks, (Range{4, per_shard}));
  EXPECT_EQ(batches.front().pixels, (Range{0, 256}));
  EXPECT_EQ(batches.at(1).pixels, (Range{256, some_pixels}));
  EXPECT_EQ(batches.at(1).shard.blocks, batches.front().shard.blocks);
}

/// Projections of a model after the first of each kind, for as many rounds.
template <class F>
void watch_rounds(ExchangeForm form, Memories memories, int rounds, F const& check) {
  auto const geometry = tall_scan(false);
  TomographyModel const model(DeviceSet::virtual_devices(3, memories, form), geometry, tall_mask());
  auto const volume = model.make_volume("test::volume");
  auto const sinogram = model.make_sinogram("test::sinogram");
  model.forward_project(volume, sinogram);
  model.back_project(sinogram, volume);
  for (int i = 0; i < rounds; ++i) {
    ToolWatch const watch;
    model.forward_project(volume, sinogram);
    model.back_project(sinogram, volume);
    model.hessian_diagonal(sinogram, volume);
    check();
  }
}

TEST(Bands, AllocateNothingAfterTheFirstTime) {
  for (ExchangeForm const form : {ExchangeForm::automatic, bands})
    for (Memories const memories : {Memories::of_the_machine, Memories::apart})
      watch_rounds(form, memories, 3, [] { EXPECT_EQ(ToolWatch::events().allocations, 0); });
}

/// Launches of projectors in one forward and one back projection on two devices with much memory.
std::pair<std::size_t, std::size_t> launches(bool cone, ExchangeForm form, Memories memories) {
  // Of so many views each device sums one node.
  TomographyModel const model(DeviceSet::virtual_devices(2, memories, form), tall_scan(cone, 41), tall_mask(), much);
  auto const volume = model.make_volume("test::volume");
  auto const sinogram = model.make_sinogram("test::sinogram");
  ToolWatch const watch;
  model.forward_project(volume, sinogram);
  model.back_project(sinogram, volume);
  auto const& kernels = ToolWatch::events().kernels;
  return {kernels.count("strata::forward_project"), kernels.count("strata::back_project")};
}

TEST(ExchangeForms, BandsAreTakenWhereTheyArePossibleAndOneDeviceAtATimeOwnsThem) {
  if (!DeviceSet::virtual_devices(2)->share_memory()) GTEST_SKIP() << "launches of hosts are counted";
  using Launches = std::pair<std::size_t, std::size_t>;
  constexpr auto cylinders = ExchangeForm::cylinders;
  for (bool const cone : {false, true})
    for (Memories const memories : {Memories::of_the_machine, Memories::apart})
      EXPECT_EQ(launches(cone, cylinders, memories), Launches(2, 2));
  // Two bands of each of two devices, on each of them.
  EXPECT_EQ(launches(false, bands, Memories::apart), Launches(8, 8));
  EXPECT_EQ(launches(true, bands, Memories::apart), Launches(2, 8)) << "slices couple";
  EXPECT_EQ(launches(false, bands, Memories::of_the_machine), Launches(2, 8)) << "volumes are read where they lie";
}

TEST(ExchangeForms, AutomaticTriesBothAndGivesTheSameBitsEachTime) {
  for (bool const cone : {false, true})
    for (Memories const memories : {Memories::of_the_machine, Memories::apart}) {
      auto const geometry = tall_scan(cone);
      OperatorResults const one = form_results_of(geometry, tall_mask(), {});
      TomographyModel const model(DeviceSet::virtual_devices(2, memories), geometry, tall_mask());
      auto const volume = model.make_volume("test::volume"), recon = model.make_volume("test::recon");
      auto const sinogram = model.make_sinogram("test::sinogram"), out = model.make_sinogram("test::out");
      from_host(model, values_of(model.recon_shape().size()), volume);
      from_host(model, values_of(model.sinogram_shape().size()), sinogram);
      for (int round = 0; round < 3; ++round) {
        model.forward_project(volume, out);
        model.back_project(sinogram, recon);
        EXPECT_TRUE(to_host(model, out) == one.forward) << round;
        EXPECT_TRUE(to_host(model, recon) == one.back) << round;
      }
    }
}

TEST(ExchangeForms, TheRequestedOneIsThatOfTheDevices) {
  for (ExchangeForm const form : {ExchangeForm::automatic, ExchangeForm::cylinders, bands}) {
    EXPECT_EQ(DeviceSet::create({DeviceRequest::Kind::count, 2, {}, form})->exchange(), form);
    EXPECT_EQ(DeviceSet::create({DeviceRequest::Kind::automatic, 0, {}, form})->exchange(), form);
  }
}

}  // namespace
}  // namespace strata::test
