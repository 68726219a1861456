// Full disks, on a small file system in memory that only a child process sees.
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "core/base/error.hpp"
#include "core/io/hdf5_writer.hpp"
#include "core/io/preview.hpp"
#include "unit_tests/io/scratch.hpp"

namespace strata {
namespace {

enum Outcome : int { complete = 0, refused = 1, leftover = 2, space_lost = 3, wrong_error = 4, no_mount = 77 };

constexpr int kib = 1024;

bool mount_small_disk(std::string const& folder, int bytes) {
  bool const mine = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  if (!mine || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) == 0;
}

unsigned long free_blocks(std::string const& folder) {
  struct statvfs status {};
  statvfs(folder.c_str(), &status);
  return status.f_bfree;
}

/// Runs `write(path)` where only `bytes` fit. Also checks that a failure leaves no file and gives the space back.
int outcome_on_small_disk(std::string const& folder, int bytes, std::function<void(std::string const&)> const& write) {
  if (!mount_small_disk(folder, bytes)) return no_mount;
  auto const before = free_blocks(folder);
  int outcome = complete;
  try {
    write(folder + "/out");
  } catch (WriteError const& error) {
    std::string const message = error.what();
    bool const named = message.starts_with(folder + "/out: cannot write");
    outcome = named && message.ends_with(": No space left on device") ? refused : wrong_error;
  } catch (...) {
    outcome = wrong_error;
  }
  if (outcome == complete) return complete;
  if (!std::filesystem::is_empty(folder)) return leftover;
  if (free_blocks(folder) != before) return space_lost;
  return outcome;
}

/// As above in a child process, which ends as a program does; -signal when it was killed.
int run_child(std::string const& folder, int bytes, std::function<void(std::string const&)> const& write) {
  std::fflush(nullptr);
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);  // HDF5 is known to loop for ever over what it cannot write
    std::exit(outcome_on_small_disk(folder, bytes, write));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void write_volume(std::string const& path, Hdf5Shape const& chunk) {
  std::vector<float> const slab(64 * 64 * 2, 1.0f);
  AtomicHdf5Writer writer(path);
  writer.set_attribute("/parameters", "deck", std::string(9 * kib, 'd'));
  writer.create_dataset<float>("/recon", {16, 64, 64}, chunk);
  for (int row = 0; row < 16; row += 2) writer.write_slab("/recon", {row, 0, 0}, {2, 64, 64}, slab.data());
  writer.write("/history/alpha", {3}, std::vector<double>{1, 2, 3});
  writer.commit();
}

struct DiskFull : Scratch {
  void expect_refused_until(int enough, std::function<void(std::string const&)> const& write) const {
    for (int size = 4 * kib; size <= enough; size += 12 * kib) {
      int const outcome = run_child(folder, size, write);
      if (outcome == no_mount) GTEST_SKIP() << "this process may not mount a small file system";
      std::string const where = "outcome " + std::to_string(outcome) + " at " + std::to_string(size) + " bytes";
      EXPECT_TRUE(outcome == refused || outcome == complete) << where;
      EXPECT_FALSE(outcome == complete && size < 32 * kib) << where;
      EXPECT_FALSE(outcome == refused && size + 12 * kib > enough) << where;
    }
  }
};

TEST_F(DiskFull, AContiguousVolumeFailsCleanlyAtEveryStage) {
  expect_refused_until(400 * kib, [](std::string const& path) { write_volume(path, {}); });
}

TEST_F(DiskFull, AChunkedVolumeFailsCleanlyAtEveryStage) {
  expect_refused_until(400 * kib, [](std::string const& path) { write_volume(path, {8, 8, 64}); });
}

TEST_F(DiskFull, APreviewFailsCleanly) {
  expect_refused_until(160 * kib, [](std::string const& path) {
    std::vector<float> noise(256 * 256);
    unsigned state = 1;
    for (auto& value : noise) value = float((state = state * 1664525u + 1013904223u) >> 16);
    write_preview(path, noise, 256, 256);
  });
}

}  // namespace
}  // namespace strata
