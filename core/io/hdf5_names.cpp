#include "core/io/hdf5_names.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/text.hpp"
#include "core/io/hdf5_handle.hpp"

namespace strata {
namespace {

extern "C" herr_t strata_collect_link(hid_t, char const* name, H5L_info_t const*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

extern "C" herr_t strata_collect_dataset(hid_t, char const* name, H5O_info_t const* info, void* names) {
  if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(names)->push_back(text("/", name));
  return 0;
}

extern "C" herr_t strata_collect_attribute(hid_t, char const* name, H5A_info_t const*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

/// `/a/b/c` -> `/a`, `/a/b`, `/a/b/c`.
std::vector<std::string> prefixes(std::string const& name) {
  std::vector<std::string> result;
  std::size_t begin = 0;
  while (begin < name.size()) {
    std::size_t const end = std::min(name.find('/', begin), name.size());
    if (end > begin) result.push_back(name.substr(0, end));
    begin = end + 1;
  }
  return result;
}

std::string link_target(hid_t file, std::string const& link, H5L_info_t const& info) {
  std::vector<char> value(info.u.val_size + 1, '\0');
  if (H5Lget_val(file, link.c_str(), value.data(), value.size(), H5P_DEFAULT) < 0) return "";
  if (info.type == H5L_TYPE_SOFT) return value.data();
  char const* target_file = nullptr;
  char const* target_object = nullptr;
  if (H5Lunpack_elink_val(value.data(), info.u.val_size, nullptr, &target_file, &target_object) < 0) return "";
  return text(target_file, ":", target_object);
}

}  // namespace

bool hdf5_resolves(hid_t file, std::string const& name) {
  if (name.empty()) return false;
  for (auto const& prefix : prefixes(name)) {
    if (H5Lexists(file, prefix.c_str(), H5P_DEFAULT) <= 0) return false;
    if (H5Oexists_by_name(file, prefix.c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

std::string hdf5_dangling_target(hid_t file, std::string const& name) {
  for (auto const& prefix : prefixes(name)) {
    H5L_info_t info{};
    if (H5Lget_info(file, prefix.c_str(), &info, H5P_DEFAULT) < 0) return "";
    bool const leads_nowhere = H5Oexists_by_name(file, prefix.c_str(), H5P_DEFAULT) <= 0;
    if (leads_nowhere) return info.type == H5L_TYPE_HARD ? "" : link_target(file, prefix, info);
  }
  return "";
}

std::vector<std::string> hdf5_names(hid_t file, std::string const& group) {
  std::vector<std::string> names;
  H5Literate_by_name(file, group.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, strata_collect_link, &names,
                     H5P_DEFAULT);
  return names;
}

std::vector<std::string> hdf5_datasets(hid_t file) {
  std::vector<std::string> names;
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, strata_collect_dataset, &names, H5O_INFO_BASIC);
  // Visiting does not follow links, which are datasets to the reader all the same.
  for (auto const& name : hdf5_names(file, "/")) {
    bool const linked = std::find(names.begin(), names.end(), "/" + name) == names.end() && hdf5_resolves(file, name);
    if (linked && hdf5_open_dataset(file, name).valid()) names.push_back("/" + name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> hdf5_attribute_names(hid_t file, std::string const& object) {
  std::vector<std::string> names;
  Hdf5Handle const opened(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose);
  H5Aiterate2(opened.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, strata_collect_attribute, &names);
  return names;
}

std::optional<std::string> hdf5_read_string(hid_t attribute) {
  Hdf5Handle const type(H5Aget_type(attribute), H5Tclose);
  Hdf5Handle const space(H5Aget_space(attribute), H5Sclose);
  bool const one_text = H5Tget_class(type.get()) == H5T_STRING && H5Sget_simple_extent_npoints(space.get()) == 1;
  if (!one_text) return std::nullopt;
  Hdf5Handle const memory(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_cset(memory.get(), H5Tget_cset(type.get()));
  if (H5Tis_variable_str(type.get()) > 0) {
    H5Tset_size(memory.get(), H5T_VARIABLE);
    char* value = nullptr;
    if (H5Aread(attribute, memory.get(), &value) < 0) return std::nullopt;
    std::string const result = value == nullptr ? "" : value;
    H5free_memory(value);
    return result;
  }
  std::vector<char> value(H5Tget_size(type.get()) + 1, '\0');  // room for a terminator
  H5Tset_size(memory.get(), value.size());
  if (H5Aread(attribute, memory.get(), value.data()) < 0) return std::nullopt;
  return std::string(value.data());
}

}  // namespace strata
