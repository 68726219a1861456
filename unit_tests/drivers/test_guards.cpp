// What keeps a run from replacing files that are not its own, and from writing numbers that are none.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <limits>

#include "core/base/interrupt.hpp"
#include "core/io/atomic_path.hpp"
#include "core/io/sharded_io.hpp"
#include "core/solver/direct_recon.hpp"
#include "core/solver/vcd_schedule.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"
#include "drivers/support/program.hpp"
#include "drivers/support/recon_settings.hpp"
#include "drivers/support/results.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/io/scratch.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata {
namespace {

using Guards = Scratch;

TEST_F(Guards, APipeIsNotReplacedByAnOutput) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);

  EXPECT_THROW(AtomicPath{file("pipe")}, WriteError);
  EXPECT_THROW(check_writable(file("pipe")), WriteError);

  EXPECT_TRUE(std::filesystem::is_fifo(file("pipe")));
  EXPECT_EQ(files(), std::vector<std::string>{"pipe"});
}

TEST_F(Guards, AResultThatIsNotFiniteIsNotWritten) {
  auto const devices = DeviceSet::virtual_devices(3);
  int const slices = 5, pixels = 12, views = 7, channels = 4;
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto const volume = make_volume(Placement::of_slices(devices, slices), pixels, "test::volume");
    SinogramLayout const layout{SliceBlocks(slices, 3), channels};
    auto const sinogram = make_sinogram(Placement::of_views(devices, views), layout.rows, channels, "test::sinogram");
    std::vector<float> values(pixels * slices, 1), lines(views * slices * channels, 1);
    values[33] = lines[100] = bad;
    HostExchange(devices, 1000).put_pixels(volume, {0, pixels}, values);
    HostExchange(devices, 1000).put_views(sinogram, layout, {0, views}, lines);

    EXPECT_THROW(
        {
          AtomicHdf5Writer writer(file("out.h5"));
          write_volume(writer, "/recon", 4, volume);
          writer.commit();
        },
        InputError);
    EXPECT_THROW(
        {
          AtomicHdf5Writer writer(file("out.h5"));
          write_sinogram(writer, "/sinogram", layout, sinogram);
          writer.commit();
        },
        InputError);
    EXPECT_TRUE(files().empty());
  }
}

TEST_F(Guards, ReadingStopsWhenTheUserInterrupts) {
  auto const devices = DeviceSet::virtual_devices(1);
  auto const volume = make_volume(Placement::of_slices(devices, 2), 6, "test::volume");
  {
    AtomicHdf5Writer writer(file("in.h5"));
    writer.write("/recon", {2, 3, 2}, std::vector<float>(12, 1));
    writer.commit();
  }
  InterruptGuard const guard;

  std::raise(SIGINT);

  EXPECT_THROW(read_volume(Hdf5File(file("in.h5")), "/recon", 3, volume), Interrupted);
}

TEST_F(Guards, OperatorsDirectReconstructionAndWritingStopWhenTheUserInterrupts) {
  test::CtCase const golden("parallel_odd_nonsquare");
  for (int const devices : {1, 3}) {
    auto const model = golden.model(devices);
    auto const sinogram = golden.sinogram(*model, "/sinogram");
    auto const volume = model->make_volume("test::volume");
    InterruptGuard const guard;

    std::raise(SIGINT);

    EXPECT_THROW(model->forward_project(volume, sinogram), Interrupted);
    EXPECT_THROW(model->back_project(sinogram, volume), Interrupted);
    EXPECT_THROW(model->hessian_diagonal(sinogram, volume), Interrupted);
    EXPECT_THROW(direct_recon(*model, sinogram, sinogram, volume), Interrupted);
    AtomicHdf5Writer writer(file("out.h5"));
    EXPECT_THROW(write_volume(writer, "/recon", model->recon_shape().num_cols, volume), Interrupted);
    EXPECT_THROW(write_sinogram(writer, "/sinogram", model->sinogram_layout(), sinogram), Interrupted);
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(Guards, AHistoryWithColumnsOfDifferentLengthsIsRefused) {
  AtomicHdf5Writer writer(file("checkpoint.h5"));
  for (char const* name : {"fm_rmse", "pct_change", "seconds"})
    writer.write(std::string("/history/") + name, {3}, std::vector<double>(3, 1));
  writer.write("/history/alpha", {2}, std::vector<double>(2, 1));
  writer.write("/history/delta_norm_per_slice", {3, 2}, std::vector<double>(6, 1));
  writer.commit();

  EXPECT_NE(message_of<InputError>([&] {
              read_history(Hdf5File(file("checkpoint.h5")));
            }).find("expected 3 iterations in each dataset, got 2"),
            std::string::npos);
}

TEST_F(Guards, AHistoryKeepsTheObjectivesThatSomeOfItsPassesKnow) {
  std::vector<IterationStats> history(3);
  for (auto& stats : history) stats.delta_norm_per_slice = {1, 2};
  history[2].objective = 7;
  AtomicHdf5Writer writer(file("checkpoint.h5"));
  write_history(writer, history, false);
  writer.commit();

  auto const read = read_history(Hdf5File(file("checkpoint.h5")));

  ASSERT_EQ(read.size(), 3u);
  EXPECT_TRUE(std::isnan(read[0].objective) && std::isnan(read[1].objective));
  EXPECT_EQ(read[2].objective, 7);
}

/// The sentence with which a program refuses `deck`, or nothing.
std::string refusal(std::string const& deck) {
  ProgramInfo info;
  info.name = "strata_test";
  info.sections = {"input", "geometry"};
  info.inputs = {"sinogram"};
  ProgramOptions options;
  options.deck = deck;
  options.check = true;
  return message_of<InputError>([&] {
    ProgramContext context(info, options);
    auto const input = context.deck().section("input");
    if (input.has("sinogram")) (void)input.section("sinogram").require_path("file");
    context.start_run();
  });
}

TEST_F(Guards, NeitherTheOutputNorTheLogMayBeTheDeckOrAnInput) {
  write("scan.h5", "data");
  std::string const input = "input: {sinogram: {file: scan.h5}}\n";
  auto const says = [&](std::string const& output) {
    return refusal(write("deck.yaml", input + "output: {" + output + "}\n"));
  };

  EXPECT_EQ(says("file: out.h5"), "");
  EXPECT_NE(says("file: scan.h5").find("the output would replace an input"), std::string::npos);
  EXPECT_NE(says("file: ./x/../scan.h5").find("the output would replace an input"), std::string::npos);
  EXPECT_NE(says("file: deck.yaml").find("the output would replace an input"), std::string::npos);
  EXPECT_NE(says("file: out.h5, log: scan.h5").find("the log would replace an input"), std::string::npos);
  EXPECT_NE(says("file: out.h5, log: deck.yaml").find("the log would replace an input"), std::string::npos);
}

TEST_F(Guards, MoreDevicesThanAnybodyMeansAreRefused) {
  EXPECT_EQ(refusal(write("deck.yaml", "devices: {use: 256}\n")), "");
  EXPECT_NE(refusal(write("deck.yaml", "devices: {use: 257}\n")).find("at most 256 devices, got 257"),
            std::string::npos);
}

/// Passes that a solver with the option runs after SIGINT until it stops; at most 1.
int passes_after_interrupt(bool interrupt_within_pass) {
  test::CtCase const golden("parallel_odd_nonsquare");
  auto const model = golden.model(1);
  VCDState const state{model->make_volume("test::recon"), model->make_volume("test::hessian"),
                       golden.sinogram(*model, "/sinogram"), nullptr};
  VCDOptions options;
  options.interrupt_within_pass = interrupt_within_pass;
  QGGMRFParams params;
  params.sigma_x = 1;
  auto const prior = make_qggmrf_prior(params);
  auto const schedule = make_schedule({{4}, {0}, 1, 0, 0, PartitionMode::balanced}, golden.masked_indices());
  std::vector<SubsetPlan> plans{make_subset_plan(*model, schedule.partitions[0])};
  start_vcd(*model, InitialImage::given, false, state);
  VCDSolver solver(*model, *prior, options, state, std::move(plans));
  InterruptGuard const guard;
  std::raise(SIGINT);
  try {
    solver.iterate(0, 0, schedule.passes[0].order);
    return 1;
  } catch (Interrupted const&) {
    return 0;
  }
}

TEST(VCDSolver, APassThatHasBegunIsFinishedOnlyWhenItsImageWillBeKept) {
  EXPECT_EQ(passes_after_interrupt(true), 0);
  EXPECT_EQ(passes_after_interrupt(false), 1);
}

}  // namespace
}  // namespace strata
