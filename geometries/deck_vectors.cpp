#include "geometries/deck_vectors.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/io/hdf5_file.hpp"

namespace strata {
namespace {

void require_views(DeckSection const& geometry, std::string const& key, std::size_t found, int num_views,
                   std::string const& what) {
  if (static_cast<int>(found) != num_views)
    geometry.fail(key, text("expected ", num_views, " ", what, ", one a view, got ", found));
}

void require_section(DeckSection const& geometry, std::string const& key, std::string const& expected) {
  if (geometry.kind(key) != DeckSection::Kind::section) geometry.fail(key, "expected " + expected);
}

}  // namespace

std::vector<double> read_view_lengths(DeckSection const& geometry, std::string const& key, int num_views) {
  if (!geometry.has(key)) return {};
  std::string const expected = "{file:, dataset:} or {values: [...]}";
  require_section(geometry, key, expected);
  DeckSection const section = geometry.section(key);
  std::vector<double> values;
  if (section.has("file")) {
    Hdf5File const file(section.require_path("file"));
    auto const dataset = section.get("dataset", "/" + key);
    file.require_shape(dataset, {-1}, "views");
    values = file.read<double>(dataset);
  } else if (section.has("values")) {
    values = section.require<std::vector<double>>("values");
  } else {
    geometry.fail(key, "expected " + expected);
  }
  require_views(geometry, key, values.size(), num_views, "numbers");
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    geometry.fail(key, "expected finite numbers");
  return values;
}

std::vector<std::array<double, 3>> read_view_vectors(DeckSection const& geometry, std::string const& key,
                                                     int num_views) {
  std::string const expected = "{file:, dataset:} or {values: [[x, y, z], ...]}";
  if (!geometry.has(key)) geometry.fail(key, "expected " + expected + ", got none");
  require_section(geometry, key, expected);
  DeckSection const section = geometry.section(key);
  std::vector<std::array<double, 3>> vectors;
  if (section.has("file")) {
    Hdf5File const file(section.require_path("file"));
    auto const dataset = section.get("dataset", "/" + key);
    file.require_shape(dataset, {-1, 3}, "views; x, y, z");
    auto const values = file.read<double>(dataset);
    for (std::size_t i = 0; i < values.size(); i += 3) vectors.push_back({values[i], values[i + 1], values[i + 2]});
  } else if (section.has("values")) {
    for (auto const& row : section.require<std::vector<std::vector<double>>>("values")) {
      if (row.size() != 3)
        section.fail("values", text("expected three numbers x, y, z for each view, got ", row.size(), " for view ",
                                    vectors.size()));
      vectors.push_back({row[0], row[1], row[2]});
    }
  } else {
    geometry.fail(key, "expected " + expected);
  }
  require_views(geometry, key, vectors.size(), num_views, "vectors");
  for (auto const& vector : vectors)
    if (!std::ranges::all_of(vector, [](double value) { return std::isfinite(value); }))
      geometry.fail(key, "expected finite numbers");
  return vectors;
}

std::array<double, 2> read_pad_fraction(DeckSection const& geometry, std::string const& key) {
  std::array<double, 2> pad{0, 0};
  if (geometry.kind(key) == DeckSection::Kind::list) {
    auto const given = geometry.require<std::vector<double>>(key);
    if (given.size() != 2)
      geometry.fail(key, text("expected a number or [top, bottom], got ", given.size(), " numbers"));
    pad = {given[0], given[1]};
  } else {
    pad.fill(geometry.get(key, 0.0));
  }
  for (double const fraction : pad)
    if (!(fraction >= 0)) geometry.fail(key, text("expected fractions of at least 0, got ", fraction));
  return pad;
}

}  // namespace strata
