/// RAII over HDF5 identifiers. Internal to core/io.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace strata {

/// Owns one identifier and closes it with its own function.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }

  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// False when HDF5 could not close, for example because the disk is full.
  bool reset() noexcept {
    hid_t const id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// To be called first. Stops HDF5 from printing its error stack (the sentences are ours) and from cleaning up at exit:
/// it crashes there over a file that it could not write (1.10.8), and we close what we open.
void silence_hdf5();

/// What HDF5 says was the innermost cause of the last failure. Any call that succeeds, also closing, clears it.
std::string hdf5_reason();

/// A number in memory, and in our files: little-endian on every machine.
struct Hdf5Type {
  hid_t memory, file;
};
/// T: float, double, int, std::int64_t.
template <class T>
Hdf5Type hdf5_type();

Hdf5Handle hdf5_open_dataset(hid_t file, std::string const& name);
std::vector<std::int64_t> hdf5_extents(hid_t dataspace);
std::vector<hsize_t> hdf5_sizes(std::vector<std::int64_t> const& extents);
/// How many values there are in an array of these extents.
std::size_t hdf5_size(std::vector<std::int64_t> const& extents);

}  // namespace strata
