#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/log.hpp"

namespace strata {
namespace {

std::vector<std::string> lines_of(std::string const& content) {
  std::istringstream stream(content);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string content_of(std::string const& path) {
  std::ifstream stream(path);
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

struct Log : testing::Test {
  std::string path = testing::TempDir() + "strata_test.log";
  ~Log() override {
    log::close_file();
    log::set_level(log::Level::info);
    std::filesystem::remove(path);
  }
};

TEST_F(Log, LinesCarryATimeStampAndTheirLevel) {
  testing::internal::CaptureStderr();
  log::info("sharpness ", 0.5);
  log::warn("short scan");
  log::error("gone");
  auto const lines = lines_of(testing::internal::GetCapturedStderr());

  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(std::regex_match(lines[0], std::regex(R"(\[\d\d:\d\d:\d\d\] sharpness 0\.5)"))) << lines[0];
  EXPECT_TRUE(lines[1].ends_with("] warning: short scan")) << lines[1];
  EXPECT_TRUE(lines[2].ends_with("] error: gone")) << lines[2];
}

TEST_F(Log, LinesBelowTheLevelAreDropped) {
  testing::internal::CaptureStderr();
  log::debug("hidden");
  log::set_level(log::Level::error);
  log::warn("hidden");
  log::error("shown");
  log::set_level(log::Level::debug);
  log::debug("shown");
  auto const output = testing::internal::GetCapturedStderr();

  EXPECT_EQ(output.find("hidden"), std::string::npos);
  EXPECT_EQ(lines_of(output).size(), 2u);
}

TEST_F(Log, TheFileGetsEveryLineOnceAndComplete) {
  testing::internal::CaptureStderr();
  log::open_file(path);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) log::info("thread ", t, " line ", i, " end");
    });
  }
  for (auto& thread : threads) thread.join();
  log::close_file();
  log::info("after closing");
  testing::internal::GetCapturedStderr();

  auto const lines = lines_of(content_of(path));
  ASSERT_EQ(lines.size(), 200u);
  std::regex const form(R"(\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] thread \d line \d+ end)");
  for (auto const& line : lines) EXPECT_TRUE(std::regex_match(line, form)) << line;
}

TEST_F(Log, AFileThatCannotBeOpenedIsAWriteError) {
  try {
    log::open_file("/no/such/folder/run.log");
    FAIL();
  } catch (WriteError const& error) {
    EXPECT_STREQ(error.what(),
                 "/no/such/folder/run.log: cannot open the log file for writing: No such file or directory");
  }
}

TEST_F(Log, AFullDiskCostsTheFileButNotTheRun) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  testing::internal::CaptureStderr();
  log::open_file("/dev/full");
  log::info("one");
  log::info("two");
  auto const output = testing::internal::GetCapturedStderr();

  EXPECT_NE(output.find("/dev/full: cannot write the log file: No space left on device"), std::string::npos);
  EXPECT_EQ(lines_of(output).size(), 3u);
}

TEST_F(Log, LevelsHaveNames) {
  EXPECT_EQ(log::parse_level("debug"), log::Level::debug);
  EXPECT_EQ(log::parse_level("silent"), log::Level::silent);
  EXPECT_THROW(log::parse_level("loud"), InputError);
}

}  // namespace
}  // namespace strata
