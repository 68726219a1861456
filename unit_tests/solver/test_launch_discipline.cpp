// What a VCD iteration may ask of Kokkos: named kernels, named fences, no memory. Watched through Kokkos Tools.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/solver/denoiser.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"
#include "drivers/support/recon_settings.hpp"
#include "prior/proximal.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/support/ct_case.hpp"
#include "unit_tests/support/tool_watch.hpp"

namespace strata::test {
namespace {

/// Besides our own names: the kernels of deep_copy(exec, ..), which run on the instance given (without one they come
/// with fences that are not ours), and what Kokkos does because a tool listens.
bool is_ours(std::string const& label) {
  for (char const* start :
       {"strata::", "Kokkos::ViewFill", "Kokkos::ViewCopy", "Kokkos::Tools::invoke_kokkosp_callback"})
    if (label.rfind(start, 0) == 0) return true;
  return false;
}

/// Watched kernels and fences whose label is not ours.
std::set<std::string> unnamed() {
  std::set<std::string> found;
  for (auto const& label : ToolWatch::events().kernels)
    if (!is_ours(label)) found.insert("kernel " + label);
  for (auto const& label : ToolWatch::events().fences)
    if (!is_ours(label)) found.insert("fence " + label);
  return found;
}

void expect_discipline() {
  ToolEvents const& events = ToolWatch::events();
  EXPECT_EQ(unnamed(), std::set<std::string>{});
  EXPECT_EQ(events.allocations, 0);
  EXPECT_EQ(events.frees, 0);
  EXPECT_GT(events.kernels.size(), 0u);
  EXPECT_GT(events.fences.size(), 0u);
}

struct Setting {
  int devices = 1;
  bool weights = false;
  bool positivity = false;
  bool reference_mode = false;
  bool prior_loss = false;
  bool prox = false;
  bool cells = false;
  int acceleration_directions = 0;
  Index max_exchange_bytes = 0;
  char const* scan = "parallel_odd_nonsquare";
  int first_subsets = 4;
  int exchange_turns = 0;
  Memories memories = Memories::of_the_machine;
};

/// Passes over two partitions; the first is not watched.
void run(Setting const& setting) {
  CtCase const golden(setting.scan);
  auto const devices = DeviceSet::virtual_devices(setting.devices, setting.memories);
  auto const model = std::make_unique<TomographyModel>(devices, golden.geometry(), golden.mask());
  auto const weights = golden.sinogram(*model, "/runs/noisy/weights");
  VCDState const state{model->make_volume("test::recon"), model->make_volume("test::hessian"),
                       golden.sinogram(*model, "/runs/noisy/sinogram"), setting.weights ? &weights : nullptr};
  VCDOptions options;
  options.sigma_y = golden.file().number_attribute("/runs/noisy", "sigma_y");
  options.positivity_flag = setting.positivity;
  options.reference_mode = setting.reference_mode;
  options.compute_prior_loss = setting.prior_loss;
  options.max_exchange_bytes = setting.max_exchange_bytes;
  options.exchange_turns = setting.exchange_turns;
  if (setting.acceleration_directions > 0) {
    options.acceleration = Acceleration::subspace;
    options.acceleration_directions = setting.acceleration_directions;
  }
  if (setting.cells) options.cells = golden.geometry()->pixel_correlations().value();
  QGGMRFParams params;
  params.sigma_x = golden.file().number_attribute("/runs/noisy", "sigma_x");
  auto const prior =
      setting.prox ? make_proximal_prior(model->make_volume("test::input"), params.sigma_x) : make_qggmrf_prior(params);
  auto const mode = setting.reference_mode ? PartitionMode::reference : PartitionMode::balanced;
  int const cell_cols = setting.cells ? model->recon_shape().num_cols : 0;
  auto const schedule =
      make_schedule({{setting.first_subsets, 64}, {0, 1, 0}, 3, 0, 0, mode, cell_cols}, golden.masked_indices());
  std::vector<SubsetPlan> plans;
  for (auto const& partition : schedule.partitions) plans.push_back(make_subset_plan(*model, partition));
  start_vcd(*model, InitialImage::direct, setting.positivity && !setting.reference_mode, state);
  VCDSolver solver(*model, *prior, options, state, std::move(plans));
  solver.iterate(0, schedule.passes[0].partition, schedule.passes[0].order);

  ToolWatch const watch;
  for (int pass : {1, 2}) solver.iterate(pass, schedule.passes[pass].partition, schedule.passes[pass].order);
  expect_discipline();
}

TEST(LaunchDiscipline, AnIterationOnOneDeviceAllocatesNothingAndNamesItsKernelsAndFences) {
  run({.devices = 1});
  run({.devices = 1, .weights = true, .prior_loss = true});
}

TEST(LaunchDiscipline, AnIterationOnSeveralDevicesDoesNeither) {
  run({.devices = 3, .weights = true});
  run({.devices = 7, .weights = true, .prior_loss = true});
}

TEST(LaunchDiscipline, HoldsForSubsetsThatAreExchangedInChunks) {
  Setting setting{
      .devices = 3, .weights = true, .max_exchange_bytes = 1, .scan = "cone_odd_offsets", .first_subsets = 1};
  for (Memories const memories : {Memories::of_the_machine, Memories::apart})
    for (int const turns : {1, 2}) {
      setting.memories = memories;
      setting.exchange_turns = turns;
      run(setting);
      EXPECT_GT(ToolWatch::events().kernels.count("strata::gather_cylinders"), 0u);
    }
  setting.positivity = setting.reference_mode = true;
  run(setting);
}

TEST(LaunchDiscipline, HoldsForPositivityTheReferenceModeAndTheProximalPrior) {
  for (int const devices : {1, 3}) {
    run({.devices = devices, .weights = true, .positivity = true});
    run({.devices = devices, .weights = true, .positivity = true, .reference_mode = true, .prior_loss = true});
    run({.devices = devices, .prox = true});
  }
}

TEST(LaunchDiscipline, HoldsForAcceleration) {
  for (int const devices : {1, 3}) {
    run({.devices = devices, .weights = true, .acceleration_directions = 1});
    run({.devices = devices, .weights = true, .positivity = true, .acceleration_directions = 2});
    run({.devices = devices, .prox = true, .acceleration_directions = 1});
  }
}

TEST(LaunchDiscipline, HoldsForCellsOfPixels) {
  for (int const devices : {1, 3}) {
    run({.devices = devices, .weights = true, .cells = true});
    EXPECT_EQ(ToolWatch::events().kernels.count("strata::cell_direction"), (64u + 4u) * devices);
    EXPECT_EQ(ToolWatch::events().kernels.count("strata::subset_direction"), 0u);
    run({.devices = devices, .weights = true, .positivity = true, .cells = true, .acceleration_directions = 1});
    run({.devices = devices, .prox = true, .cells = true});
  }
  run({.devices = 3, .cells = true, .max_exchange_bytes = 1, .first_subsets = 1, .exchange_turns = 2});
}

TEST(LaunchDiscipline, EveryDeviceLaunchesTheKernelsOfASubsetOnce) {
  run({.devices = 1, .weights = true});
  auto const one = ToolWatch::events().kernels;
  run({.devices = 3, .weights = true});
  auto const& three = ToolWatch::events().kernels;

  for (char const* name : {"strata::subset_direction", "strata::apply_step"}) {
    EXPECT_EQ(one.count(name), 64u + 4u) << name;
    EXPECT_EQ(three.count(name), 3 * one.count(name)) << name;
  }
}

/// Passes of the denoiser; the first is not watched.
void run_denoiser(int num_devices, bool reference_mode) {
  ReconShape const shape{9, 8, 11};
  auto const slices = Placement::of_slices(DeviceSet::virtual_devices(num_devices), shape.num_slices);
  auto const image = make_volume(slices, shape.num_pixels(), "test::image");
  auto const recon = make_volume(slices, shape.num_pixels(), "test::recon");
  std::vector<int> pixels;
  for (int p = 0; p < 72; ++p) pixels.push_back(p);
  QGGMRFParams params;
  params.sigma_x = 1;
  auto const prior = make_qggmrf_prior(params);
  Denoiser denoiser(*prior, {.sigma_noise = 1, .reference_mode = reference_mode, .compute_prior_loss = true}, shape,
                    image, recon, denoiser_partition(pixels, shape, reference_mode, 0));
  denoiser.iterate(0);

  ToolWatch const watch;
  for (int pass : {1, 2}) denoiser.iterate(pass);
  expect_discipline();
}

TEST(LaunchDiscipline, HoldsInPassesOfTheDenoiser) {
  for (int const devices : {1, 3, 13})
    for (bool const reference : {false, true}) run_denoiser(devices, reference);
}

TEST(LaunchDiscipline, TheDenoiserStagesHalosOnceAPassAndNoneOnOneDevice) {
  // At the ends that shards share: four on three devices. The second exchange is for the prior's value.
  run_denoiser(1, false);
  EXPECT_EQ(ToolWatch::events().kernels.count("strata::extract_slice"), 0u);
  run_denoiser(3, false);
  EXPECT_EQ(ToolWatch::events().kernels.count("strata::extract_slice"), 2u * 2u * 4u);
}

void fill_without_name(Array1<Real> const& view) {
  Kokkos::deep_copy(view, Real(1));
}

TEST(LaunchDiscipline, TheWatchSeesAForbiddenFenceAndAForbiddenAllocation) {
  Array1<Real> const kept("test::kept", 10);

  ToolWatch const watch;
  fill_without_name(kept);
  { Array1<Real> const temporary("test::temporary", 10); }

  EXPECT_FALSE(unnamed().empty());
  EXPECT_EQ(ToolWatch::events().allocations, 1);
  EXPECT_EQ(ToolWatch::events().frees, 1);
}

}  // namespace
}  // namespace strata::test
