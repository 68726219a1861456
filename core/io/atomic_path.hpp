/// Output files that appear only when complete.
#pragma once

#include <string>

namespace strata {

/// Reserves `<target>.<pid>.part`, a new empty file beside the target. commit() gives it the target's name; without
/// commit() the destructor removes it. All errors are WriteError.
class AtomicPath {
 public:
  /// \throws WriteError when the folder is missing or cannot be written, or the target is a folder.
  explicit AtomicPath(std::string target);
  ~AtomicPath();
  AtomicPath(AtomicPath const&) = delete;
  AtomicPath& operator=(AtomicPath const&) = delete;

  std::string const& target() const { return target_; }
  std::string const& temporary() const { return temporary_; }

  /// Waits until the bytes are on the disk, then renames.
  void commit();
  /// Removes the temporary file now.
  void discard() noexcept;

 private:
  std::string target_;
  std::string temporary_;
  bool pending_ = true;
};

/// For the start of a run: \throws WriteError when `target` could not be created later.
void check_writable(std::string const& target);

/// Writes `bytes` to `target` in one step.
void write_file_atomically(std::string const& target, std::string const& bytes);

}  // namespace strata
