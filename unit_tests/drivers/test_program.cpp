#include "drivers/support/program.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <new>

#include "core/base/log.hpp"

namespace strata {
namespace {

struct Outcome {
  int status;
  std::string stderr_text;
};

/// Runs a program in this process; Kokkos is running already.
Outcome run(std::vector<std::string> arguments, ProgramBody const& body, ProgramInfo info = {.name = "strata_test"}) {
  info.uses_devices = false;
  info.default_output = "test.h5";
  arguments.insert(arguments.begin(), "strata_test");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  testing::internal::CaptureStderr();
  int const status = run_program(static_cast<int>(arguments.size()), argv.data(), info, body);
  log::close_file();
  log::set_level(log::Level::info);
  return {status, testing::internal::GetCapturedStderr()};
}

std::string write_deck(std::string const& content) {
  std::string const path = testing::TempDir() + "strata_program_deck.yaml";
  std::ofstream(path) << content;
  return path;
}

Outcome run_without_deck(ProgramBody const& body) {
  return run({}, body, {.name = "strata_test", .takes_deck = false});
}

TEST(Program, ErrorsBecomeTheirExitStatusAndOneLine) {
  auto const wrong = run_without_deck([](ProgramContext&) { throw InputError("the deck is wrong"); });
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.stderr_text.find("error: the deck is wrong\n"), std::string::npos);
  EXPECT_EQ(std::ranges::count(wrong.stderr_text, '\n'), 1);

  EXPECT_EQ(run_without_deck([](ProgramContext&) {}).status, 0);
  EXPECT_EQ(run_without_deck([](ProgramContext&) { throw Error("x"); }).status, 1);
  EXPECT_EQ(run_without_deck([](ProgramContext&) { throw std::logic_error("x"); }).status, 1);
  EXPECT_EQ(run_without_deck([](ProgramContext&) { throw MemoryError("x"); }).status, 3);
  EXPECT_EQ(run_without_deck([](ProgramContext&) { throw std::bad_alloc(); }).status, 3);
  EXPECT_EQ(run_without_deck([](ProgramContext&) { throw WriteError("x"); }).status, 4);
  EXPECT_EQ(run_without_deck([](ProgramContext&) { throw Interrupted(); }).status, 130);
}

TEST(Program, AnAllocationThatKokkosRefusesIsNotEnoughMemory) {
  auto const outcome = run_without_deck([](ProgramContext&) {
    Array1<double> const too_big(Kokkos::view_alloc(Kokkos::WithoutInitializing, "strata::too_big"), std::size_t(1)
                                                                                                         << 48);
  });

  EXPECT_EQ(outcome.status, 3) << outcome.stderr_text;
}

TEST(Program, TheErrorLineIsShownAtEveryLogLevel) {
  auto const outcome = run({write_deck(""), "--log-level", "silent"}, [](ProgramContext&) { throw InputError("no"); });

  EXPECT_NE(outcome.stderr_text.find("error: no"), std::string::npos);
}

TEST(Program, OptionsOverrideTheDeck) {
  std::string file;
  std::string use;
  auto const outcome =
      run({write_deck("output: {file: deck.h5}\ndevices: {use: auto}\nreconstruction: {sharpness: 0}"), "--output",
           "/tmp/other \"name\".h5", "--devices", "2", "--set", "reconstruction.sharpness=1"},
          [&](ProgramContext& context) {
            file = context.output().file;
            use = context.output().log;
            EXPECT_EQ(context.deck().section("reconstruction").get("sharpness", 0.5), 1);
            EXPECT_EQ(context.make_devices()->size(), 2);
            EXPECT_EQ(context.provenance().num_devices, 2);
          });

  EXPECT_EQ(outcome.status, 0) << outcome.stderr_text;
  EXPECT_EQ(file, "/tmp/other \"name\".h5");
  EXPECT_EQ(use, "/tmp/other \"name\".log");
}

TEST(Program, DevicesOptionTakesCountListAutoAndNone) {
  EXPECT_EQ(devices_override("auto"), "devices.use=auto");
  EXPECT_EQ(devices_override("none"), "devices.use=none");
  EXPECT_EQ(devices_override("3"), "devices.use=3");
  EXPECT_EQ(devices_override("0,2"), "devices.use=[0,2]");
  for (char const* wrong : {"", "gpu", "-1", "1.5", ",", "0,,2", "0,x"})
    EXPECT_THROW(devices_override(wrong), InputError) << wrong;
}

TEST(Program, SectionsOfOtherProgramsAreLetPassAndUnknownOnesAreNot) {
  ProgramBody const start = [](ProgramContext& context) { context.start_run(); };
  auto const other = run({write_deck("reconstruction: {x: 1}\ninput: {sinogram: {file: a}}"), "--check"}, start);
  auto const unknown = run({write_deck("reconstructoin: {x: 1}"), "--check"}, start);

  EXPECT_EQ(other.status, 0) << other.stderr_text;
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.stderr_text.find("did you mean 'reconstruction'?"), std::string::npos) << unknown.stderr_text;
}

TEST(Program, TheLogFileStaysAfterAFailureAndHoldsTheError) {
  std::string const log = testing::TempDir() + "strata_program_stays.log";
  std::filesystem::remove(log);
  auto const outcome = run({write_deck("output: {file: strata_program_stays.h5}")}, [](ProgramContext& context) {
    context.start_run();
    throw InputError("too late");
  });

  std::ifstream stream(log);
  std::string const content{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(content.find("error: too late"), std::string::npos) << content;
  EXPECT_FALSE(std::filesystem::exists(testing::TempDir() + "strata_program_stays.h5"));
}

TEST(Program, CheckOpensNoLogFile) {
  std::string const log = testing::TempDir() + "strata_program_check.log";
  std::filesystem::remove(log);
  run({write_deck("output: {file: strata_program_check.h5}"), "--check"},
      [](ProgramContext& context) { context.start_run(); });

  EXPECT_FALSE(std::filesystem::exists(log));
}

TEST(Program, CheckpointAndResumeBelongToProgramsThatCanResume) {
  ProgramInfo const resumable = {.name = "strata_test", .resumable = true};
  std::string const deck = write_deck("output: {checkpoint: {every_iterations: 5}}");
  auto const able = run(
      {deck, "--resume"},
      [](ProgramContext& context) {
        EXPECT_TRUE(context.resume());
        EXPECT_EQ(context.checkpoint().every_iterations, 5);
      },
      resumable);

  EXPECT_EQ(able.status, 0) << able.stderr_text;
  EXPECT_EQ(run({deck, "--resume"}, [](ProgramContext&) {}).status, 2);
}

}  // namespace
}  // namespace strata
