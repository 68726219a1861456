// Bits of whole reconstructions do not depend on the number of devices, on how they exchange, or on padding.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "core/solver/direct_recon.hpp"
#include "core/solver/region_mask.hpp"
#include "core/solver/vcd_schedule.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"
#include "geometries/parallel_scan.hpp"
#include "prior/proximal.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

struct Setting {
  int devices = 1;
  Index exchange_bytes = 0;
  bool positivity = false;
  bool reference_mode = false;
  bool prox = false;
  bool cells = false;
  int acceleration_directions = 0;
  int exchange_turns = 0;
  Memories memories = Memories::of_the_machine;
  float padding = 0;  ///< written into all padding before the start when not 0
};

VCDOptions options_of(CtCase const& golden, Setting const& setting) {
  VCDOptions options;
  options.sigma_y = golden.file().number_attribute("/runs/noisy", "sigma_y");
  options.positivity_flag = setting.positivity;
  options.reference_mode = setting.reference_mode;
  options.max_exchange_bytes = setting.exchange_bytes;
  options.exchange_turns = setting.exchange_turns;
  options.acceleration_directions = std::max(setting.acceleration_directions, 1);
  if (setting.acceleration_directions > 0) options.acceleration = Acceleration::subspace;
  // Of any geometry: bits must not depend on devices where these numbers are not those of the scan either.
  if (setting.cells)
    options.cells = golden.geometry()->pixel_correlations().value_or(PixelCorrelations{.5, .6, .3, .4});
  return options;
}

/// Passes of 1, 3 and 1 subsets: large ones follow small ones and the other way round.
std::vector<float> vcd(CtCase const& golden, Setting const& setting) {
  auto const devices = DeviceSet::virtual_devices(setting.devices, setting.memories);
  auto const model = std::make_unique<TomographyModel>(devices, golden.geometry(), golden.mask());
  auto const weights = golden.sinogram(*model, "/runs/noisy/weights");
  VCDState const state{model->make_volume("test::recon"), model->make_volume("test::hessian"),
                       golden.sinogram(*model, "/runs/noisy/sinogram"), &weights};
  auto const input = model->make_volume("test::input");
  if (setting.padding != 0) {
    for (auto const& volume : {state.recon, state.hessian, input}) poison(*model, volume, setting.padding);
    for (auto const& sinogram : {weights, state.weighted_error}) poison(*model, sinogram, setting.padding);
  }
  QGGMRFParams params;
  params.sigma_x = golden.file().number_attribute("/runs/noisy", "sigma_x");
  auto const prior = setting.prox ? make_proximal_prior(input, params.sigma_x) : make_qggmrf_prior(params);
  auto const mode = setting.reference_mode ? PartitionMode::reference : PartitionMode::balanced;
  int const cell_cols = setting.cells ? model->recon_shape().num_cols : 0;
  auto const schedule = make_schedule({{1, 3}, {0, 1, 0}, 3, 0, 0, mode, cell_cols}, golden.masked_indices());
  std::vector<SubsetPlan> plans;
  for (auto const& partition : schedule.partitions) plans.push_back(make_subset_plan(*model, partition));
  start_vcd(*model, InitialImage::direct, setting.positivity && !setting.reference_mode, state);
  VCDSolver solver(*model, *prior, options_of(golden, setting), state, std::move(plans));
  std::vector<float> values;
  for (int pass = 0; pass < 3; ++pass) {
    auto const stats = solver.iterate(pass, schedule.passes[pass].partition, schedule.passes[pass].order);
    for (double const value : {stats.fm_rmse, stats.pct_change, stats.alpha}) values.push_back(float(value));
  }
  auto const recon = to_host(*model, state.recon), error = to_host(*model, state.weighted_error);
  values.insert(values.end(), recon.begin(), recon.end());
  values.insert(values.end(), error.begin(), error.end());
  return values;
}

/// Bytes of a batch of a few hundred pixels on any device: subsets go in several chunks.
constexpr Index short_chunks = 1;
constexpr Index whole_subsets = Index(1) << 40;

std::string name_of(testing::TestParamInfo<char const*> const& test) {
  return test.param;
}

class DeviceCounts : public testing::TestWithParam<char const*> {};

TEST_P(DeviceCounts, DoNotChangeABitOfVCDWhateverTheLengthOfChunks) {
  CtCase const golden(GetParam());
  auto const one = vcd(golden, {});
  for (int const devices : {2, 3, 4, 5, 7, 8}) {
    SCOPED_TRACE(devices);
    EXPECT_EQ(vcd(golden, {.devices = devices, .exchange_bytes = short_chunks}), one);
    EXPECT_EQ(vcd(golden, {.devices = devices, .exchange_bytes = whole_subsets}), one);
  }
  EXPECT_EQ(vcd(golden, {.devices = 5, .exchange_bytes = Index(600) << 10}), one);
  for (int const turns : {1, 2})
    EXPECT_EQ(vcd(golden,
                  {.devices = 3, .exchange_bytes = short_chunks, .exchange_turns = turns, .memories = Memories::apart}),
              one)
        << "copies, " << turns;
  EXPECT_EQ(vcd(golden, {.devices = 2, .exchange_bytes = short_chunks, .exchange_turns = 2}), one);
  int const slices = golden.geometry()->params().recon.num_slices;
  EXPECT_EQ(vcd(golden, {.devices = slices + 1, .exchange_bytes = short_chunks}), one) << "more devices than slices";
}

TEST_P(DeviceCounts, DoNotChangeABitOfVCDWithOtherOptions) {
  CtCase const golden(GetParam());
  for (Setting setting : {Setting{.positivity = true}, Setting{.positivity = true, .reference_mode = true},
                          Setting{.prox = true}, Setting{.positivity = true, .acceleration_directions = 2}}) {
    auto const one = vcd(golden, setting);
    setting.devices = 3;
    setting.exchange_bytes = short_chunks;
    EXPECT_EQ(vcd(golden, setting), one) << setting.positivity << setting.reference_mode << setting.prox;
  }
}

TEST_P(DeviceCounts, DoNotChangeABitOfVCDWithCells) {
  CtCase const golden(GetParam());
  for (Setting setting : {Setting{.cells = true}, Setting{.positivity = true, .cells = true},
                          Setting{.prox = true, .cells = true}, Setting{.cells = true, .acceleration_directions = 1}}) {
    auto const one = vcd(golden, setting);
    for (int const devices : {2, 3, 5})
      for (Index const bytes : {short_chunks, whole_subsets}) {
        setting.devices = devices;
        setting.exchange_bytes = bytes;
        setting.padding = std::numeric_limits<float>::quiet_NaN();
        EXPECT_EQ(vcd(golden, setting), one) << devices << ", " << setting.positivity << setting.prox;
      }
  }
  EXPECT_NE(vcd(golden, {.cells = true}), vcd(golden, {}));
}

TEST_P(DeviceCounts, PaddingIsNeverRead) {
  CtCase const golden(GetParam());
  for (bool const prox : {false, true}) {
    auto const clean = vcd(golden, {.prox = prox});
    for (float const padding : {std::numeric_limits<float>::quiet_NaN(), 1e30F})
      for (int const devices : {1, 4}) {
        SCOPED_TRACE(testing::Message() << prox << ", " << padding << ", " << devices);
        EXPECT_EQ(vcd(golden, {.devices = devices, .exchange_bytes = short_chunks, .prox = prox, .padding = padding}),
                  clean);
      }
  }
}

/// Parallel beams project directions of a few thousand pixels in an order of their own, larger ones in chunks.
TEST(DeviceCountsOfALargePlane, DoNotChangeABitOfVCD) {
  GeometryParams params;
  params.sinogram = {10, 5, 90};
  params.recon = {88, 90, 5};
  std::vector<double> angles;
  for (int v = 0; v < 10; ++v) angles.push_back(std::numbers::pi * v / 10);
  auto const geometry = make_parallel_scan(params, angles);
  auto const region = ellipse_mask(88, 90);
  ASSERT_GT(region.pixel_indices().size(), std::size_t(Projector::own_order_entries));
  std::vector<float> values(10 * 5 * 90);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i * 7919 % 1000) / 1000;
  auto const run = [&](int devices, Index exchange_bytes) {
    TomographyModel const model(DeviceSet::virtual_devices(devices), geometry,
                                {region.inside.begin(), region.inside.end()});
    VCDState const state{model.make_volume("test::recon"), model.make_volume("test::hessian"),
                         model.make_sinogram("test::error")};
    from_host(model, values, state.weighted_error);
    QGGMRFParams prior_params;
    prior_params.sigma_x = 0.1;
    auto const prior = make_qggmrf_prior(prior_params);
    auto const schedule = make_schedule({{1, 2}, {0, 1, 0}, 3, 0, 0, PartitionMode::balanced}, region.pixel_indices());
    std::vector<SubsetPlan> plans;
    for (auto const& partition : schedule.partitions) plans.push_back(make_subset_plan(model, partition));
    start_vcd(model, InitialImage::direct, false, state);
    VCDSolver solver(model, *prior, {.sigma_y = 0.1, .max_exchange_bytes = exchange_bytes}, state, std::move(plans));
    for (int pass = 0; pass < 3; ++pass)
      solver.iterate(pass, schedule.passes[pass].partition, schedule.passes[pass].order);
    return to_host(model, state.recon);
  };
  auto const one = run(1, 0);
  for (int const devices : {2, 3}) EXPECT_EQ(run(devices, short_chunks), one) << devices;
  EXPECT_EQ(run(4, Index(900) << 10), one);
}

INSTANTIATE_TEST_SUITE_P(VCD, DeviceCounts,
                         testing::Values("parallel_odd_nonsquare", "cone_odd_offsets", "cone_helical",
                                         "multiaxis_varied", "translation_offsets"),
                         name_of);

std::vector<float> direct(CtCase const& golden, int devices, float padding, RedundancyOptions const& options = {}) {
  auto const model = golden.model(devices);
  auto const sinogram = golden.sinogram(*model, "/runs/noisy/sinogram");
  auto const recon = model->make_volume("test::recon");
  if (padding != 0) {
    poison(*model, sinogram, padding);
    poison(*model, recon, padding);
  }
  direct_recon(*model, sinogram, model->make_sinogram("test::scratch"), recon, options);
  return to_host(*model, recon);
}

class DirectDeviceCounts : public testing::TestWithParam<char const*> {};

TEST_P(DirectDeviceCounts, DoNotChangeABitOfDirectReconstruction) {
  CtCase const golden(GetParam());
  auto const one = direct(golden, 1, 0);
  int const slices = golden.geometry()->params().recon.num_slices;
  for (int const devices : {2, 3, 4, 5, 7, 8, slices + 1}) EXPECT_EQ(direct(golden, devices, 0), one) << devices;
  for (float const padding : {std::numeric_limits<float>::quiet_NaN(), 1e30F})
    for (int const devices : {1, 3}) EXPECT_EQ(direct(golden, devices, padding), one) << padding << ", " << devices;
}

INSTANTIATE_TEST_SUITE_P(Direct, DirectDeviceCounts,
                         testing::Values("parallel_odd_nonsquare", "parallel_limited_angle", "cone_basic",
                                         "cone_curved_pad", "cone_helical", "cone_large_angle", "cone_odd_offsets",
                                         "cone_offset_limited", "multiaxis_varied"),
                         name_of);

}  // namespace
}  // namespace strata::test
