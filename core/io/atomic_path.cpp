#include "core/io/atomic_path.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/base/error.hpp"

namespace strata {
namespace {

/// Closes at the end of a scope; -1 is none.
struct Descriptor {
  explicit Descriptor(int fd) : value(fd) {}
  ~Descriptor() {
    if (value >= 0) close(value);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  int value;
};

[[noreturn]] void fail(std::string const& target, std::string const& what, int code) {
  throw WriteError(text(target, ": ", what, ": ", std::strerror(code)));
}

std::string folder_of(std::string const& path) {
  auto const parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

AtomicPath::AtomicPath(std::string target) : target_(std::move(target)) {
  namespace fs = std::filesystem;
  std::error_code status;
  if (target_.empty()) throw WriteError("output: expected a file name, got an empty text");
  if (fs::is_directory(target_, status)) throw WriteError(text(target_, ": expected a file to write, got a folder"));
  // A device or a pipe would be replaced by the rename, not written to.
  if (fs::exists(target_, status) && !fs::is_regular_file(target_, status))
    throw WriteError(text(target_, ": expected a file to write, got a device, pipe or socket"));
  if (!fs::is_directory(folder_of(target_), status)) {
    throw WriteError(text(target_, ": cannot write: there is no folder '", folder_of(target_), "'"));
  }
  temporary_ = text(target_, ".", getpid(), ".part");
  Descriptor const file(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.value < 0) fail(target_, "cannot write", errno);
}

AtomicPath::~AtomicPath() {
  discard();
}

void AtomicPath::discard() noexcept {
  if (pending_) unlink(temporary_.c_str());
  pending_ = false;
}

void AtomicPath::commit() {
  {
    Descriptor const file(open(temporary_.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.value < 0) fail(target_, "the unfinished output disappeared", errno);
    if (fsync(file.value) != 0 && errno != EINVAL) fail(target_, "cannot write", errno);
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, "cannot rename the finished output", errno);
  pending_ = false;
  Descriptor const folder(open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.value >= 0) fsync(folder.value);  // makes the new name last; some file systems cannot, which is no error
}

void check_writable(std::string const& target) {
  AtomicPath const probe(target);
}

void write_file_atomically(std::string const& target, std::string const& bytes) {
  AtomicPath path(target);
  {
    Descriptor const file(open(path.temporary().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (file.value < 0) fail(target, "cannot write", errno);
    std::size_t written = 0;
    while (written < bytes.size()) {
      ssize_t const count = write(file.value, bytes.data() + written, bytes.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(target, "cannot write", errno);
      written += std::size_t(count);
    }
  }
  path.commit();
}

}  // namespace strata
