#include "unit_tests/support/golden.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace strata::golden {
namespace {

/// An HDF5 identifier that closes itself.
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t), std::string const& what) : id_(id), close_(close) {
    ensure(id >= 0, "golden data: cannot open ", what);
  }
  ~Id() { close_(id_); }
  Id(Id const&) = delete;
  Id& operator=(Id const&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

std::string path_of(std::string const& file) {
  if (file.find('/') != std::string::npos) return file;
  return std::string(STRATA_TEST_DATA) + "/golden/" + file;
}

hid_t open_file(std::string const& file) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return H5Fopen(path_of(file).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
}

std::vector<Index> shape_of(hid_t space) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  if (!extents.empty()) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

std::size_t size_of(std::vector<Index> const& shape) {
  Index size = 1;
  for (Index const extent : shape) size *= extent;
  return static_cast<std::size_t>(size);
}

double infinity() {
  return std::numeric_limits<double>::infinity();
}

void check_lengths(std::vector<double> const& value, std::vector<double> const& expected) {
  ensure(value.size() == expected.size(), "golden data: ", expected.size(), " values expected, found ", value.size());
}

}  // namespace

Array read(std::string const& file, std::string const& dataset) {
  Id const handle(open_file(file), H5Fclose, file);
  Id const data(H5Dopen2(handle, dataset.c_str(), H5P_DEFAULT), H5Dclose, file + ": " + dataset);
  Id const space(H5Dget_space(data), H5Sclose, dataset);
  Array out;
  out.shape = shape_of(space);
  out.values.resize(size_of(out.shape));
  herr_t const status = H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.values.data());
  ensure(status >= 0, "golden data: cannot read numbers from ", file, ": ", dataset);
  return out;
}

std::vector<double> attribute(std::string const& file, std::string const& object, std::string const& name) {
  std::string const what = file + ": " + object + ", attribute " + name;
  Id const handle(open_file(file), H5Fclose, file);
  Id const attr(H5Aopen_by_name(handle, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  Id const space(H5Aget_space(attr), H5Sclose, what);
  std::vector<double> values(size_of(shape_of(space)));
  Id const type(H5Aget_type(attr), H5Tclose, what);
  if (H5Tget_class(type) == H5T_ENUM) {  // how Python's booleans are stored
    std::vector<signed char> flags(values.size());
    ensure(H5Tget_size(type) == 1 && H5Aread(attr, type, flags.data()) >= 0, "golden data: cannot read ", what);
    return {flags.begin(), flags.end()};
  }
  ensure(H5Aread(attr, H5T_NATIVE_DOUBLE, values.data()) >= 0, "golden data: cannot read numbers from ", what);
  return values;
}

std::string text_attribute(std::string const& file, std::string const& object, std::string const& name) {
  std::string const what = file + ": " + object + ", attribute " + name;
  Id const handle(open_file(file), H5Fclose, file);
  Id const attr(H5Aopen_by_name(handle, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  Id const type(H5Aget_type(attr), H5Tclose, what);
  ensure(H5Tget_class(type) == H5T_STRING, "golden data: not a text: ", what);
  if (H5Tis_variable_str(type) > 0) {
    char* raw = nullptr;
    ensure(H5Aread(attr, type, &raw) >= 0, "golden data: cannot read ", what);
    std::string const value = raw ? raw : "";
    H5free_memory(raw);
    return value;
  }
  std::string value(H5Tget_size(type), '\0');
  ensure(H5Aread(attr, type, value.data()) >= 0, "golden data: cannot read ", what);
  return value.substr(0, value.find('\0'));
}

bool exists(std::string const& file, std::string const& object) {
  Id const handle(open_file(file), H5Fclose, file);
  // Every step of the path has to be asked for: HDF5 reports an error where a parent is missing.
  for (std::size_t end = object.find('/', 1); end != std::string::npos; end = object.find('/', end + 1))
    if (H5Lexists(handle, object.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(handle, object.c_str(), H5P_DEFAULT) > 0;
}

bool has_attribute(std::string const& file, std::string const& object, std::string const& name) {
  Id const handle(open_file(file), H5Fclose, file);
  return H5Aexists_by_name(handle, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> names(std::string const& file, std::string const& group) {
  Id const handle(open_file(file), H5Fclose, file);
  Id const node(H5Gopen2(handle, group.empty() ? "/" : group.c_str(), H5P_DEFAULT), H5Gclose, file + ": " + group);
  std::vector<std::string> out;
  auto const collect = [](hid_t, char const* name, H5L_info_t const*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  ensure(H5Literate(node, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &out) >= 0, "golden data: cannot list ", group);
  std::sort(out.begin(), out.end());
  return out;
}

double nrmse(std::vector<double> const& value, std::vector<double> const& expected) {
  check_lengths(value, expected);
  double difference = 0, norm = 0;
  for (std::size_t n = 0; n < value.size(); ++n) {
    if (!std::isfinite(value[n])) return infinity();
    difference += (value[n] - expected[n]) * (value[n] - expected[n]);
    norm += expected[n] * expected[n];
  }
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

double max_relative(std::vector<double> const& value, std::vector<double> const& expected) {
  check_lengths(value, expected);
  double difference = 0, largest = 0;
  for (std::size_t n = 0; n < value.size(); ++n) {
    if (!std::isfinite(value[n])) return infinity();
    difference = std::max(difference, std::abs(value[n] - expected[n]));
    largest = std::max(largest, std::abs(expected[n]));
  }
  return largest > 0 ? difference / largest : difference;
}

}  // namespace strata::golden
