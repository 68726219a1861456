/// Reading HDF5 files. Not for several threads at once: the library is not built for it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace strata {

/// Extents of a dataset, slowest axis first; empty for a scalar.
using Hdf5Shape = std::vector<std::int64_t>;

/// What a dataset is made of. Booleans count as whole numbers.
enum class Hdf5Values { whole, real, other };

/// An HDF5 file open for reading. T is one of float, double, int, std::int64_t; numbers are converted, whole numbers
/// exactly or not at all. All errors are InputError that name file and dataset.
class Hdf5File {
 public:
  /// \throws InputError for a missing, unreadable or damaged file and for one that is not HDF5.
  explicit Hdf5File(std::string path);
  ~Hdf5File();
  Hdf5File(Hdf5File&&) noexcept;
  Hdf5File& operator=(Hdf5File&&) noexcept;

  std::string const& path() const;
  /// True when a dataset or group of that name exists and its links lead somewhere.
  bool has(std::string const& name) const;
  bool is_dataset(std::string const& name) const;
  /// Names in a group, sorted.
  std::vector<std::string> names(std::string const& group = "/") const;
  /// Full names of all datasets, sorted.
  std::vector<std::string> datasets() const;

  Hdf5Shape shape(std::string const& dataset) const;
  Hdf5Values holds(std::string const& dataset) const;
  /// \throws InputError unless the shape is `expected`; -1 stands for any extent. `axes` names the axes in the message.
  void require_shape(std::string const& dataset, Hdf5Shape const& expected, std::string const& axes = "") const;

  /// All values, C order.
  template <class T>
  std::vector<T> read(std::string const& dataset) const;
  /// The box that begins at `offset` with extents `count`, C order, into `out`. \throws InputError when it sticks out.
  template <class T>
  void read_slab(std::string const& dataset, Hdf5Shape const& offset, Hdf5Shape const& count, T* out) const;

  /// Attributes of a dataset or group (`/` for the file).
  bool has_attribute(std::string const& object, std::string const& name) const;
  std::vector<std::string> attribute_names(std::string const& object) const;
  std::string string_attribute(std::string const& object, std::string const& name) const;
  double number_attribute(std::string const& object, std::string const& name) const;
  std::vector<double> numbers_attribute(std::string const& object, std::string const& name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace strata
