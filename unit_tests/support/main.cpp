#include <gtest/gtest.h>
#include <sys/stat.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "core/placement/instances.hpp"

namespace {

/// A folder of this process alone for testing::TempDir() and std::filesystem::temp_directory_path(): tests run side by
/// side and may choose the same file names. It is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "strata_test_XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::filesystem::filesystem_error("mkdtemp", path_, {});
    chmod(path_.c_str(), 0755);  // one test gives up the rights of root
    setenv("TMPDIR", path_.c_str(), 1);
    setenv("TEST_TMPDIR", path_.c_str(), 1);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(TemporaryFolder const&) = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;

 private:
  std::string path_;
};

}  // namespace

int main(int argc, char** argv) {
  TemporaryFolder const folder;
  if (auto const missing = strata::missing_device(); !missing.empty()) {
    // Tests can be listed all the same; ctest takes the words in brackets for a skipped test.
    testing::InitGoogleTest(&argc, argv);
    if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
    std::cout << "[  SKIPPED ] " << missing << '\n';
    return 0;
  }
  Kokkos::ScopeGuard const guard(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
