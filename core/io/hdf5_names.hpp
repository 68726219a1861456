/// Names, links and texts in an HDF5 file. Internal to core/io.
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

namespace strata {

/// True when every link on the way to `name` exists and the last one leads to an object.
bool hdf5_resolves(hid_t file, std::string const& name);
/// Where a soft or external link on the way to `name` points, if it leads nowhere; else empty.
std::string hdf5_dangling_target(hid_t file, std::string const& name);
/// Links in a group, sorted; empty when it is no group.
std::vector<std::string> hdf5_names(hid_t file, std::string const& group);
/// Full names of all datasets, sorted.
std::vector<std::string> hdf5_datasets(hid_t file);
std::vector<std::string> hdf5_attribute_names(hid_t file, std::string const& object);
/// The text in an attribute, of fixed or variable length; nothing when it is not exactly one text.
std::optional<std::string> hdf5_read_string(hid_t attribute);

}  // namespace strata
