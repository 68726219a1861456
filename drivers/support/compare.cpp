#include "drivers/support/compare.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.hpp"

namespace strata {
namespace {

constexpr std::int64_t slab_values = std::int64_t(1) << 22;

bool matches_any(std::vector<std::string> const& patterns, std::string const& name) {
  return std::ranges::any_of(patterns, [&](std::string const& pattern) {
    // Patterns are written with or without the leading slash.
    std::string const full = pattern.starts_with('/') || pattern.starts_with('*') ? pattern : "/" + pattern;
    return fnmatch(full.c_str(), name.c_str(), 0) == 0;
  });
}

bool is_wanted(CompareOptions const& options, std::string const& name) {
  if (matches_any(options.skip, name)) return false;
  if (!options.only.empty()) return matches_any(options.only, name);
  return !name.ends_with("/seconds");
}

std::size_t volume(Hdf5Shape const& count) {
  std::size_t size = 1;
  for (auto const extent : count) size *= static_cast<std::size_t>(extent);
  return size;
}

/// Sums over the values of two datasets.
struct Difference {
  double squares = 0;    ///< of b - a
  double reference = 0;  ///< squares of a
  double largest = 0;    ///< |b - a|
  double scale = 0;      ///< largest |a|
  std::int64_t not_finite = 0;

  void add(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) {
      bool const same = (std::isnan(a) && std::isnan(b)) || a == b;
      not_finite += !same;
      return;
    }
    squares += (b - a) * (b - a);
    reference += a * a;
    largest = std::max(largest, std::abs(b - a));
    scale = std::max(scale, std::abs(a));
  }
};

/// 0 / 0 is agreement; anything else over 0 is none.
double ratio(double difference, double reference) {
  if (difference == 0) return 0;
  return reference > 0 ? difference / reference : std::numeric_limits<double>::infinity();
}

template <class T, class Add>
void walk(Hdf5File const& a, Hdf5File const& b, DatasetComparison const& item, Add const& add) {
  std::vector<T> from_a;
  std::vector<T> from_b;
  for_each_slab(item.shape, slab_values, [&](Hdf5Shape const& offset, Hdf5Shape const& count) {
    from_a.resize(volume(count));
    from_b.resize(volume(count));
    a.read_slab(item.name, offset, count, from_a.data());
    b.read_slab(item.other, offset, count, from_b.data());
    for (std::size_t i = 0; i < from_a.size(); ++i) add(from_a[i], from_b[i]);
  });
}

void compare_whole(Hdf5File const& a, Hdf5File const& b, DatasetComparison& item) {
  std::int64_t different = 0;
  walk<std::int64_t>(a, b, item, [&](std::int64_t x, std::int64_t y) { different += x != y; });
  item.passed = different == 0;
  item.nrmse = item.max_relative = different == 0 ? 0 : std::numeric_limits<double>::infinity();
  if (different > 0) item.note = text(different, " whole numbers differ");
}

void compare_real(Hdf5File const& a, Hdf5File const& b, CompareOptions const& options, DatasetComparison& item) {
  Difference sums;
  walk<double>(a, b, item, [&](double x, double y) { sums.add(x, y); });
  item.nrmse = std::sqrt(ratio(sums.squares, sums.reference));
  item.max_relative = ratio(sums.largest, sums.scale);
  item.passed = sums.not_finite == 0 && item.nrmse <= options.max_nrmse;
  if (options.max_relative) item.passed = item.passed && item.max_relative <= *options.max_relative;
  if (sums.not_finite > 0) item.note = text(sums.not_finite, " values are not finite in one file, or not alike");
}

DatasetComparison compare_dataset(Hdf5File const& a, Hdf5File const& b, std::string const& name,
                                  std::string const& other_name, CompareOptions const& options) {
  DatasetComparison item;
  item.name = name;
  item.other = other_name;
  item.shape = a.shape(name);
  Hdf5Shape const other = b.shape(other_name);
  if (item.shape != other) {
    item.note = text("shapes differ: ", shape_text(item.shape), " and ", shape_text(other));
    return item;
  }
  bool const whole = a.holds(name) == Hdf5Values::whole && b.holds(other_name) == Hdf5Values::whole;
  if (whole)
    compare_whole(a, b, item);
  else
    compare_real(a, b, options, item);
  return item;
}

void slabs_from(Hdf5Shape const& shape, std::int64_t max_values, std::size_t axis, Hdf5Shape& offset, Hdf5Shape& count,
                std::function<void(Hdf5Shape const&, Hdf5Shape const&)> const& f) {
  std::int64_t below = 1;  // values below one entry of this axis
  for (std::size_t k = axis + 1; k < shape.size(); ++k) below *= shape[k];
  std::int64_t const step = std::clamp<std::int64_t>(max_values / std::max<std::int64_t>(below, 1), 1, shape[axis]);
  bool const whole = below <= max_values;
  for (std::int64_t begin = 0; begin < shape[axis]; begin += whole ? step : 1) {
    offset[axis] = begin;
    count[axis] = whole ? std::min(step, shape[axis] - begin) : 1;
    for (std::size_t k = axis + 1; k < shape.size(); ++k) {
      offset[k] = 0;
      count[k] = shape[k];
    }
    if (whole)
      f(offset, count);
    else
      slabs_from(shape, max_values, axis + 1, offset, count, f);
  }
}

}  // namespace

void for_each_slab(Hdf5Shape const& shape, std::int64_t max_values,
                   std::function<void(Hdf5Shape const&, Hdf5Shape const&)> const& f) {
  if (std::ranges::find(shape, 0) != shape.end()) return;
  Hdf5Shape offset(shape.size(), 0);
  Hdf5Shape count = shape;
  if (shape.empty())
    f(offset, count);
  else
    slabs_from(shape, max_values, 0, offset, count, f);
}

std::vector<DatasetComparison> compare_files(Hdf5File const& a, Hdf5File const& b, CompareOptions const& options) {
  std::vector<DatasetComparison> items;
  for (auto const& [name, other] : options.map) items.push_back(compare_dataset(a, b, name, other, options));
  if (!items.empty()) return items;
  auto const in_a = a.datasets();
  auto const in_b = b.datasets();
  std::vector<std::string> all;
  std::ranges::set_union(in_a, in_b, std::back_inserter(all));
  for (auto const& name : all) {
    if (!is_wanted(options, name)) continue;
    bool const has_a = std::ranges::binary_search(in_a, name);
    bool const has_b = std::ranges::binary_search(in_b, name);
    if (has_a && has_b) {
      bool const numbers = a.holds(name) != Hdf5Values::other || b.holds(name) != Hdf5Values::other;
      if (numbers) items.push_back(compare_dataset(a, b, name, name, options));
    } else if (options.require_all) {
      DatasetComparison item;
      item.name = name;
      item.note = "missing in " + (has_a ? b : a).path();
      items.push_back(item);
    }
  }
  return items;
}

}  // namespace strata
