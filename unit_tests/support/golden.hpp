/// Reference data for tests: datasets and attributes of the files in unit_tests/data/golden, and measures of agreement.
#pragma once

#include <string>
#include <vector>

#include "core/base/types.hpp"

namespace strata::golden {

/// A dataset in C order, whatever number type the file holds.
struct Array {
  std::vector<Index> shape;
  std::vector<double> values;
};

/// Dataset `dataset` ("group/name") of `file`: a path, or a name like "partitions.h5" in data/golden.
/// \throws Error when there is no such file or dataset.
Array read(std::string const& file, std::string const& dataset);

/// Numeric attribute `name` of `object` ("/" for the file's own); a scalar is a vector of length 1.
/// \throws Error when there is none.
std::vector<double> attribute(std::string const& file, std::string const& object, std::string const& name);

/// Text attribute `name` of `object`. \throws Error when there is none.
std::string text_attribute(std::string const& file, std::string const& object, std::string const& name);

/// True when `object` ("group/name") exists in `file`.
bool exists(std::string const& file, std::string const& object);

/// True when `object` has the attribute `name`.
bool has_attribute(std::string const& file, std::string const& object, std::string const& name);

/// Names of the groups and datasets directly below `group`, sorted.
std::vector<std::string> names(std::string const& file, std::string const& group);

/// ||value - expected|| / ||expected|| (the norm of value where expected is 0); infinite when a value is not finite.
/// \throws Error when the lengths differ.
double nrmse(std::vector<double> const& value, std::vector<double> const& expected);

/// Largest |value - expected| over largest |expected|; infinite when a value is not finite.
double max_relative(std::vector<double> const& value, std::vector<double> const& expected);

}  // namespace strata::golden
