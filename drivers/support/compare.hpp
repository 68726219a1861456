/// Two HDF5 files, dataset by dataset.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/io/hdf5_file.hpp"

namespace strata {

struct CompareOptions {
  double max_nrmse = 1e-5;
  std::optional<double> max_relative = {};
  std::vector<std::string> only = {};  ///< shell patterns of full names; empty: all
  std::vector<std::string> skip = {};
  bool require_all = false;  ///< a dataset that one file lacks is a failure
  /// Names in the first and in the second file of datasets to be compared; not empty: these and no others. Both files
  /// must have them.
  std::vector<std::pair<std::string, std::string>> map = {};
};

struct DatasetComparison {
  std::string name;   ///< in the first file
  std::string other;  ///< in the second one
  bool passed = false;
  std::string note;         ///< what is wrong, or of interest
  double nrmse = 0;         ///< ||b - a|| / ||a||
  double max_relative = 0;  ///< max |b - a| / max |a|
  Hdf5Shape shape;
};

/// Datasets of `a` (the reference) and `b` in the order of their names. Real numbers within the tolerances; whole
/// numbers, where both files hold such, must be equal; a value that is not finite must be the same in both. Text is
/// left out. \throws InputError for a mapped dataset that its file has not got. Left out, too, are measured times
/// (`seconds` in a group), unless `only` asks for them. Reads slabs of 32 MB at most.
std::vector<DatasetComparison> compare_files(Hdf5File const& a, Hdf5File const& b, CompareOptions const& options);

/// Calls f(offset, count) for boxes that together make up `shape`, in C order, each with `max_values` entries at most
/// and contiguous in a file in C order.
void for_each_slab(Hdf5Shape const& shape, std::int64_t max_values,
                   std::function<void(Hdf5Shape const&, Hdf5Shape const&)> const& f);

}  // namespace strata
