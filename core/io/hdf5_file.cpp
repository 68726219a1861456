#include "core/io/hdf5_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>
#include <type_traits>

#include "core/base/error.hpp"
#include "core/base/nearest.hpp"
#include "core/io/hdf5_handle.hpp"
#include "core/io/hdf5_names.hpp"

namespace strata {

struct Hdf5File::Impl {
  std::string path;
  Hdf5Handle file;
  // The dataset of the last slab stays open, and with it HDF5's cache of decompressed chunks.
  std::string slab_name;
  Hdf5Handle slab_dataset;

  Hdf5Handle open_dataset(std::string const& name) const {
    if (!hdf5_resolves(file.get(), name)) fail_missing(name);
    Hdf5Handle dataset = hdf5_open_dataset(file.get(), name);
    if (!dataset.valid()) {
      bool const is_group = Hdf5Handle(H5Gopen2(file.get(), name.c_str(), H5P_DEFAULT), H5Gclose).valid();
      require(!is_group, path, ": '", name, "': expected a dataset, got a group with ",
              joined(hdf5_names(file.get(), name)));
      H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT);  // fails again, for its reason
      throw InputError(text(path, ": dataset '", name, "': cannot be opened: ", hdf5_reason()));
    }
    return dataset;
  }

  [[noreturn]] void fail_missing(std::string const& name) const {
    std::string const target = hdf5_dangling_target(file.get(), name);
    require(target.empty(), path, ": dataset '", name, "' is a link to '", target, "', which cannot be found");
    auto all = hdf5_datasets(file.get());
    require(!all.empty(), path, ": no dataset '", name, "': the file has no datasets");
    // Names are written with or without the leading slash.
    std::string const full = name.starts_with('/') ? name : "/" + name;
    constexpr std::size_t max_shown = 12;
    std::string const meant = likely_meant(full, all);
    std::size_t const hidden = all.size() > max_shown ? all.size() - max_shown : 0;
    all.resize(all.size() - hidden);
    std::string const rest = hidden > 0 ? text(" and ", hidden, " more") : "";
    throw InputError(
        text(path, ": no dataset '", name,
             "': ", meant.empty() ? text("the file has ", joined(all), rest) : text("did you mean '", meant, "'?")));
  }

  /// Enumerations are how booleans are stored.
  void require_numbers(std::string const& what, hid_t type) const {
    H5T_class_t const kind = H5Tget_class(type);
    bool const numbers = kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM;
    require(numbers, path, ": ", what, ": expected numbers, got ",
            kind == H5T_STRING     ? "text"
            : kind == H5T_COMPOUND ? "compound values"
                                   : "values of another type");
  }

  template <class T>
  std::vector<T> allocate(std::string const& name, Hdf5Shape const& shape) const;
  template <class T>
  void read_box(std::string const& name, Hdf5Handle const& dataset, Hdf5Shape const& offset, Hdf5Shape const& count,
                T* out) const;
  template <class T>
  void read_whole_numbers(std::string const& name, hid_t dataset, hid_t memory, hid_t space, std::size_t size,
                          T* out) const;
  Hdf5Handle open_attribute(std::string const& object, std::string const& name) const;
};

namespace {

bool fits(Hdf5Shape const& shape, Hdf5Shape const& offset, Hdf5Shape const& count) {
  if (offset.size() != shape.size() || count.size() != shape.size()) return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    bool const inside = offset[axis] >= 0 && count[axis] >= 0 && offset[axis] <= shape[axis] - count[axis];
    if (!inside) return false;
  }
  return true;
}

Hdf5Shape shape_of(Hdf5Handle const& dataset) {
  return hdf5_extents(Hdf5Handle(H5Dget_space(dataset.get()), H5Sclose).get());
}

Hdf5Handle open_file(std::string const& path) {
  silence_hdf5();
  std::error_code status;
  bool const is_folder = std::filesystem::is_directory(path, status);
  require(!is_folder, path, ": expected an HDF5 file, got a folder");
  require(access(path.c_str(), R_OK) == 0, path, ": cannot open: ", std::strerror(errno));
  require(H5Fis_hdf5(path.c_str()) > 0, path, ": not an HDF5 file");
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require(file.valid(), path, ": cannot open the HDF5 file, it may be damaged or in use: ", hdf5_reason());
  return file;
}

}  // namespace

Hdf5File::Hdf5File(std::string path) : impl_(std::make_unique<Impl>()) {
  impl_->file = open_file(path);
  impl_->path = std::move(path);
}

Hdf5File::~Hdf5File() = default;
Hdf5File::Hdf5File(Hdf5File&&) noexcept = default;
Hdf5File& Hdf5File::operator=(Hdf5File&&) noexcept = default;

std::string const& Hdf5File::path() const {
  return impl_->path;
}

bool Hdf5File::has(std::string const& name) const {
  return hdf5_resolves(impl_->file.get(), name);
}

bool Hdf5File::is_dataset(std::string const& name) const {
  return has(name) && hdf5_open_dataset(impl_->file.get(), name).valid();
}

std::vector<std::string> Hdf5File::names(std::string const& group) const {
  require(has(group), impl_->path, ": no group '", group, "'");
  return hdf5_names(impl_->file.get(), group);
}

std::vector<std::string> Hdf5File::datasets() const {
  return hdf5_datasets(impl_->file.get());
}

Hdf5Shape Hdf5File::shape(std::string const& dataset) const {
  return shape_of(impl_->open_dataset(dataset));
}

Hdf5Values Hdf5File::holds(std::string const& dataset) const {
  Hdf5Handle const opened = impl_->open_dataset(dataset);
  H5T_class_t const kind = H5Tget_class(Hdf5Handle(H5Dget_type(opened.get()), H5Tclose).get());
  if (kind == H5T_FLOAT) return Hdf5Values::real;
  return kind == H5T_INTEGER || kind == H5T_ENUM ? Hdf5Values::whole : Hdf5Values::other;
}

void Hdf5File::require_shape(std::string const& dataset, Hdf5Shape const& expected, std::string const& axes) const {
  Hdf5Shape const found = shape(dataset);
  std::string const where = text(impl_->path, ": dataset '", dataset, "': expected ");
  std::string const named = axes.empty() ? "" : text(" (", axes, ")");
  require(found.size() == expected.size(), where, expected.size(), " axes", named, ", got shape ", shape_text(found));
  for (std::size_t axis = 0; axis < expected.size(); ++axis) {
    if (expected[axis] < 0 || expected[axis] == found[axis]) continue;
    std::vector<std::string> wanted;
    for (auto const extent : expected) wanted.push_back(extent < 0 ? "any" : std::to_string(extent));
    throw InputError(text(where, "shape ", shape_text(wanted), named, ", got ", shape_text(found)));
  }
}

template <class T>
std::vector<T> Hdf5File::read(std::string const& dataset) const {
  Hdf5Handle const opened = impl_->open_dataset(dataset);
  Hdf5Shape const found = shape_of(opened);
  Hdf5Handle const space(H5Dget_space(opened.get()), H5Sclose);
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) return {};
  std::vector<T> values = impl_->allocate<T>(dataset, found);
  if (!values.empty()) impl_->read_box(dataset, opened, Hdf5Shape(found.size(), 0), found, values.data());
  return values;
}

template <class T>
void Hdf5File::read_slab(std::string const& dataset, Hdf5Shape const& offset, Hdf5Shape const& count, T* out) const {
  if (impl_->slab_name != dataset) {
    impl_->slab_dataset = impl_->open_dataset(dataset);
    impl_->slab_name = dataset;
  }
  Hdf5Handle const& opened = impl_->slab_dataset;
  Hdf5Shape const found = shape_of(opened);
  require(fits(found, offset, count), impl_->path, ": dataset '", dataset, "': expected at least ", shape_text(count),
          " from ", shape_text(offset), ", got shape ", shape_text(found));
  if (hdf5_size(count) > 0) impl_->read_box(dataset, opened, offset, count, out);
}

template <class T>
std::vector<T> Hdf5File::Impl::allocate(std::string const& name, Hdf5Shape const& shape) const {
  std::string const what = text(path, ": dataset '", name, "' of shape ", shape_text(shape));
  double bytes = sizeof(T);
  for (auto const extent : shape) bytes *= double(extent);
  try {
    if (bytes > 1e18) throw std::bad_alloc();  // the product of extents may not even fit
    return std::vector<T>(hdf5_size(shape));
  } catch (std::bad_alloc const&) {
    throw MemoryError(text(what, " needs ", bytes / 1e9, " GB, more than the host has"));
  }
}

template <class T>
void Hdf5File::Impl::read_box(std::string const& name, Hdf5Handle const& dataset, Hdf5Shape const& offset,
                              Hdf5Shape const& count, T* out) const {
  Hdf5Handle const type(H5Dget_type(dataset.get()), H5Tclose);
  require_numbers(text("dataset '", name, "'"), type.get());
  Hdf5Handle const space(H5Dget_space(dataset.get()), H5Sclose);
  auto const begin = hdf5_sizes(offset);
  auto const extents = hdf5_sizes(count);
  int const rank = int(extents.size());
  Hdf5Handle const memory(rank > 0 ? H5Screate_simple(rank, extents.data(), nullptr) : H5Screate(H5S_SCALAR), H5Sclose);
  if (rank > 0) {
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, extents.data(), nullptr);
  }
  if constexpr (std::is_integral_v<T>) {
    bool const exact = H5Tget_class(type.get()) == H5T_INTEGER && H5Tget_size(type.get()) < sizeof(T);
    if (!exact) return read_whole_numbers(name, dataset.get(), memory.get(), space.get(), hdf5_size(count), out);
  }
  bool const ok = H5Dread(dataset.get(), hdf5_type<T>().memory, memory.get(), space.get(), H5P_DEFAULT, out) >= 0;
  require(ok, path, ": dataset '", name, "': cannot be read: ", hdf5_reason());
}

/// HDF5 cuts off fractions and clips what is too large without a word, so the values pass through a wide type.
template <class T>
void Hdf5File::Impl::read_whole_numbers(std::string const& name, hid_t dataset, hid_t memory, hid_t space,
                                        std::size_t size, T* out) const {
  Hdf5Handle const type(H5Dget_type(dataset), H5Tclose);
  bool const floating = H5Tget_class(type.get()) == H5T_FLOAT;
  auto const check = [&](auto const& wide, hid_t wide_type) {
    auto values = wide;
    values.resize(size);
    bool const ok = H5Dread(dataset, wide_type, memory, space, H5P_DEFAULT, values.data()) >= 0;
    require(ok, path, ": dataset '", name, "': cannot be read: ", hdf5_reason());
    for (std::size_t i = 0; i < size; ++i) {
      auto const value = values[i];
      bool in_range = false;
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
        in_range = std::abs(value) < std::ldexp(1.0, std::numeric_limits<T>::digits) && value == std::trunc(value);
      } else {
        in_range = value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
      }
      require(in_range, path, ": dataset '", name, "': expected whole numbers of ", 8 * sizeof(T), " bits, got ",
              value);
      out[i] = T(value);
    }
  };
  if (floating) {
    check(std::vector<double>{}, H5T_NATIVE_DOUBLE);
  } else {
    check(std::vector<std::int64_t>{}, H5T_NATIVE_INT64);
  }
}

template std::vector<float> Hdf5File::read(std::string const&) const;
template std::vector<double> Hdf5File::read(std::string const&) const;
template std::vector<int> Hdf5File::read(std::string const&) const;
template std::vector<std::int64_t> Hdf5File::read(std::string const&) const;
template void Hdf5File::read_slab(std::string const&, Hdf5Shape const&, Hdf5Shape const&, float*) const;
template void Hdf5File::read_slab(std::string const&, Hdf5Shape const&, Hdf5Shape const&, double*) const;
template void Hdf5File::read_slab(std::string const&, Hdf5Shape const&, Hdf5Shape const&, int*) const;
template void Hdf5File::read_slab(std::string const&, Hdf5Shape const&, Hdf5Shape const&, std::int64_t*) const;

Hdf5Handle Hdf5File::Impl::open_attribute(std::string const& object, std::string const& name) const {
  if (!hdf5_resolves(file.get(), object)) fail_missing(object);
  Hdf5Handle attribute(H5Aopen_by_name(file.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.valid()) {
    auto const known = hdf5_attribute_names(file.get(), object);
    throw InputError(text(path, ": '", object, "': no attribute '", name, "', ",
                          known.empty() ? "there are none" : suggestion(name, known)));
  }
  return attribute;
}

bool Hdf5File::has_attribute(std::string const& object, std::string const& name) const {
  return has(object) && H5Aexists_by_name(impl_->file.get(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::attribute_names(std::string const& object) const {
  if (!has(object)) impl_->fail_missing(object);
  return hdf5_attribute_names(impl_->file.get(), object);
}

std::string Hdf5File::string_attribute(std::string const& object, std::string const& name) const {
  Hdf5Handle const attribute = impl_->open_attribute(object, name);
  std::optional<std::string> const value = hdf5_read_string(attribute.get());
  require(value.has_value(), impl_->path, ": '", object, "': attribute '", name, "': expected one text");
  return *value;
}

std::vector<double> Hdf5File::numbers_attribute(std::string const& object, std::string const& name) const {
  Hdf5Handle const attribute = impl_->open_attribute(object, name);
  std::string const what = text("'", object, "': attribute '", name, "'");
  impl_->require_numbers(what, Hdf5Handle(H5Aget_type(attribute.get()), H5Tclose).get());
  Hdf5Handle const space(H5Aget_space(attribute.get()), H5Sclose);
  std::vector<double> values(std::size_t(H5Sget_simple_extent_npoints(space.get())));
  bool const ok = values.empty() || H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data()) >= 0;
  require(ok, impl_->path, ": ", what, ": cannot be read: ", hdf5_reason());
  return values;
}

double Hdf5File::number_attribute(std::string const& object, std::string const& name) const {
  auto const values = numbers_attribute(object, name);
  require(values.size() == 1, impl_->path, ": '", object, "': attribute '", name, "': expected one number, got ",
          values.size());
  return values[0];
}

}  // namespace strata
