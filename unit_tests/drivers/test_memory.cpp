// Memory over a process' life, and memory plans.
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/model/memory_plan.hpp"
#include "core/solver/subset_sizes.hpp"
#include "core/solver/vcd_memory.hpp"
#include "core/solver/vcd_schedule.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"
#include "drivers/support/memory_meter.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

/// Model, projections and two passes of VCD on `num_devices` devices.
void run_once(CtCase const& golden, int num_devices) {
  auto const model = golden.model(num_devices);
  auto const y = golden.sinogram(*model, "sinogram");
  auto const ax = model->make_sinogram("test::ax");
  VCDState const state{model->make_volume("test::recon"), model->make_volume("test::hessian"), y};
  model->back_project(y, state.recon);
  model->forward_project(state.recon, ax);
  ScheduleParams schedule;
  schedule.granularity = {2, 8};
  schedule.partition_sequence = {0, 1};
  schedule.max_iterations = 2;
  auto const plan = make_schedule(schedule, golden.masked_indices());
  std::vector<SubsetPlan> subsets;
  for (auto const& partition : plan.partitions) subsets.push_back(make_subset_plan(*model, partition));
  start_vcd(*model, InitialImage::direct, false, state);
  QGGMRFParams params;
  params.sigma_x = 0.1;
  auto const prior = make_qggmrf_prior(params);
  VCDSolver solver(*model, *prior, VCDOptions{}, state, std::move(subsets));
  int iteration = 0;
  for (auto const& pass : plan.passes) solver.iterate(iteration++, pass.partition, pass.order);
}

TEST(Memory, StaysFlatOverManyOperationsInOneProcess) {
  start_memory_meter();
  CtCase const golden("parallel_basic");
  for (int i = 0; i < 10; ++i) run_once(golden, 1 + i % 3);
  Index const arrays = current_device_bytes();
  Index const resident = current_host_bytes();

  for (int i = 0; i < 50; ++i) run_once(golden, 1 + i % 3);

  EXPECT_EQ(current_device_bytes(), arrays);
  EXPECT_LE(current_host_bytes(), resident + (Index(8) << 20));
}

TEST(MemoryMeter, TellsDevicesApart) {
  start_memory_meter();
  auto const devices = DeviceSet::virtual_devices(3);
  meter_devices(devices);
  auto const before = peak_bytes_by_device();
  ASSERT_EQ(before.size(), 3u);
  {
    auto const one = make_view<Array1<float>>(devices->exec(1), "strata::test::one", 1000);
    auto const two = make_view<Array1<float>>(devices->exec(2), "strata::test::two", 5000);
  }
  auto const two = make_view<Array1<float>>(devices->exec(2), "strata::test::two", 10);

  auto const after = peak_bytes_by_device();
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[1], before[1] + 4000);
  EXPECT_EQ(after[2], before[2] + 20000);
}

MemoryPlan plan_on(int num_devices) {
  auto const devices = DeviceSet::virtual_devices(num_devices);
  Placement const slices = Placement::of_slices(devices, 128);
  return MemoryPlan(slices, Placement::of_views(devices, 64), {slices.blocks(), 100}, {400, 400, 128});
}

TEST(MemoryPlan, CountsTheLargestStageOnly) {
  MemoryPlan plan = plan_on(1);
  plan.add_on_each("always", 1000);
  plan.begin_stage("reading");
  plan.add_on_each("part", 300);
  plan.begin_stage("iterating");
  plan.add_on_each("subset a", 200);
  plan.add_on_each("subset b", 250);
  plan.end_stage();
  plan.add_on_each("more", 1);

  EXPECT_EQ(plan.device_bytes(0), 1451);
}

TEST(MemoryPlan, MakesBandsShorterRatherThanRefuse) {
  MemoryPlan plan = plan_on(4);
  plan.add_volume("recon");
  plan.add_exchange("buffers");
  Index const usual = plan.device_bytes(0);
  Index const smallest =
      usual - plan.items().back().device_bytes[0] + ExchangePlan(plan.slices(), plan.views(), 160000).smallest_bytes();
  ASSERT_LT(smallest, usual);

  plan.fit(std::vector<Index>(4, smallest));

  EXPECT_LE(plan.device_bytes(0), smallest);
  EXPECT_GT(plan.exchange_bytes(), 0);
  EXPECT_NO_THROW(plan.check(std::vector<Index>(4, smallest), true));
}

/// VCD of the scan of plan_on(): one subset in the first pass, a volume large, or 64.
MemoryPlan vcd_plan_on(int num_devices, int subsets) {
  MemoryPlan plan = plan_on(num_devices);
  plan.add_volume("recon and Hessian diagonal", 2);
  plan.add_exchange("buffers");
  plan_vcd(plan, {160000 / subsets, 160000, false}, {});
  return plan;
}

/// What the arrays that VCDSolver allocates for subsets take on device 0, in chunks as long as the plan says.
Index subset_bytes(MemoryPlan const& plan, int subsets) {
  SubsetSizes const sizes(plan.slices(), plan.views(), plan.layout(), 160000, 160000 / subsets,
                          plan.subset_exchange_bytes());
  return (sizes.work + sizes.own + sizes.partial[0] + sizes.staging[0]) * Index(sizeof(Real));
}

TEST(MemoryPlan, MakesChunksOfVCDShorterRatherThanRefuse) {
  for (int const subsets : {1, 64}) {
    SCOPED_TRACE(subsets);
    MemoryPlan plan = vcd_plan_on(4, subsets);
    Index const usual = plan.device_bytes(0), subset_usual = subset_bytes(plan, subsets);
    Index const buffers = ExchangePlan(plan.slices(), plan.views(), 160000).device_bytes()[0];
    // Not to be had from the buffers of projections alone.
    std::vector<Index> const limits(4, usual - buffers);
    ASSERT_THROW(plan.check(limits, true), MemoryError);

    plan.fit(limits);

    EXPECT_NO_THROW(plan.check(limits, true));
    EXPECT_GT(plan.subset_exchange_bytes(), 0);
    EXPECT_LT(subset_bytes(plan, subsets), subset_usual);
    Index const rest = usual - buffers - subset_usual;
    Index const fitted = ExchangePlan(plan.slices(), plan.views(), 160000, plan.exchange_bytes()).device_bytes()[0];
    EXPECT_EQ(plan.device_bytes(0), rest + fitted + subset_bytes(plan, subsets));
  }
}

struct VCDBytes {
  Index planned = 0;    ///< by plan_vcd(), all devices
  Index allocated = 0;  ///< by VCDSolver
};

/// Of a small scan in 4 and 16 subsets, those of cells of pixels where `options` has them.
VCDBytes vcd_bytes(int num_devices, VCDOptions const& options) {
  CtCase const golden("parallel_basic");
  auto const model = golden.model(num_devices);
  VCDState const state{model->make_volume("test::recon"), model->make_volume("test::hessian"),
                       model->make_sinogram("test::error")};
  int const cell_cols = options.cells ? model->recon_shape().num_cols : 0;
  auto const schedule = make_schedule({.granularity = {4, 16}, .partition_sequence = {0, 1}, .cell_cols = cell_cols},
                                      golden.masked_indices());
  std::vector<SubsetPlan> subsets;
  int largest = 0;
  for (auto const& partition : schedule.partitions) {
    subsets.push_back(make_subset_plan(*model, partition));
    largest = std::max(largest, subsets.back().max_size);
  }
  MemoryPlan plan(model->recon_placement(), model->sino_placement(), model->sinogram_layout(), model->recon_shape());
  plan_vcd(plan, {.largest_subset = largest}, options);
  auto const prior = make_qggmrf_prior({.sigma_x = 0.1, .nbr_wts = {}});
  VCDBytes bytes;
  for (Index const device : plan.device_bytes()) bytes.planned += device;
  Index const before = current_device_bytes();
  VCDSolver const solver(*model, *prior, options, state, std::move(subsets));
  bytes.allocated = current_device_bytes() - before;
  return bytes;
}

TEST(MemoryPlan, CountsWhatVCDAllocatesWithCellsAndWithout) {
  start_memory_meter();
  auto const cells = CtCase("parallel_basic").geometry()->pixel_correlations();
  ASSERT_TRUE(cells.has_value());
  for (int const devices : {1, 3})
    for (Acceleration const acceleration : {Acceleration::none, Acceleration::subspace})
      for (Index const exchanged : {Index(0), Index(1)}) {
        SCOPED_TRACE(testing::Message() << devices << " devices, acceleration " << int(acceleration) << ", "
                                        << exchanged);
        VCDOptions options;
        options.acceleration = acceleration;
        options.max_exchange_bytes = exchanged;
        VCDBytes const single = vcd_bytes(devices, options);
        options.cells = cells;
        VCDBytes const joined = vcd_bytes(devices, options);

        // Sums of the objective are planned as if each device had neighbours on both sides.
        for (VCDBytes const& bytes : {single, joined}) {
          EXPECT_LE(bytes.allocated, bytes.planned);
          EXPECT_GE(bytes.allocated, 0.95 * double(bytes.planned));
        }
        EXPECT_EQ(joined.allocated - single.allocated, joined.planned - single.planned);
        EXPECT_GT(joined.allocated, single.allocated);
      }
}

TEST(MemoryPlan, KeepsUsualLengthsWhereShorterOnesWouldNotHelp) {
  MemoryPlan plan = vcd_plan_on(1, 1);
  Index const usual = plan.device_bytes(0);

  plan.fit({usual - 1});

  EXPECT_EQ(plan.device_bytes(0), usual);
  EXPECT_EQ(plan.subset_exchange_bytes(), 0);
  EXPECT_EQ(plan.exchange_bytes(), 0);
  EXPECT_THROW(plan.check({usual - 1}, true), MemoryError);
}

TEST(MemoryPlan, RefusesInOneSentenceThatNamesArraysAndKnobs) {
  MemoryPlan plan = plan_on(4);
  plan.add_volume("recon");
  plan.add_sinogram("sinogram");
  std::vector<Index> const limits(4, 1000);
  plan.fit(limits);
  try {
    plan.check(limits, true);
    FAIL() << "expected a MemoryError";
  } catch (MemoryError const& error) {
    std::string const what = error.what();
    EXPECT_EQ(error.code(), ExitCode::no_memory);
    for (char const* words :
         {"recon", "sinogram", "devices.memory_limit_gb allows", "devices.use", "geometry.delta_voxel", "fewer views"})
      EXPECT_NE(what.find(words), std::string::npos) << words << " in: " << what;
    EXPECT_EQ(what.find('\n'), std::string::npos);
  }
}

TEST(ExchangePlan, BitsDoNotDependOnTheLengthOfBatches) {
  CtCase const golden("parallel_odd_nonsquare");
  auto const run = [&](Index bytes) {
    TomographyModel const model(DeviceSet::virtual_devices(3), golden.geometry(), golden.mask(), bytes);
    auto const x = golden.volume(model, "phantom");
    auto const y = model.make_sinogram("test::y");
    model.forward_project(x, y);
    auto values = to_host(model, y);
    model.back_project(y, x);
    auto const back = to_host(model, x);
    values.insert(values.end(), back.begin(), back.end());
    return values;
  };
  auto const longest = run(Index(1) << 30);
  for (Index const bytes : {1, 300'000, 700'000}) EXPECT_EQ(run(bytes), longest) << bytes;
}

}  // namespace
}  // namespace strata::test
