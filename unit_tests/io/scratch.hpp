/// A folder for the files of one test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace strata {

/// An empty folder that is removed at the end; in the temporary folder that this process has alone (support/main.cpp).
struct Scratch : testing::Test {
  std::filesystem::path folder;

  Scratch() {
    auto const* const info = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() / (std::string(info->test_suite_name()) + "_" + info->name());
    std::filesystem::create_directories(folder);
  }
  ~Scratch() override { std::filesystem::remove_all(folder); }

  std::string file(std::string const& name) const { return (folder / name).string(); }
  std::string write(std::string const& name, std::string const& content) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << content;
    return file(name);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
    return names;
  }
};

/// The message of the E that `f` throws; empty when it throws none.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (E const& error) {
    return error.what();
  }
  return "";
}

}  // namespace strata
