#include "geometries/deck_angles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/io/hdf5_file.hpp"

namespace strata {
namespace {

std::vector<double> evenly_spaced(DeckSection const& section, int num_views) {
  double const start = section.require<double>("start");
  double const stop = section.require<double>("stop");
  int const count = section.require<int>("count");
  bool const endpoint = section.get("endpoint", false);
  if (count < 1) section.fail("count", text("expected at least one view, got ", count));
  if (num_views >= 0 && count != num_views)
    section.fail("count", text("expected ", num_views, " angles, one a view, got ", count));
  int const steps = endpoint ? std::max(count - 1, 1) : count;
  std::vector<double> values(count);
  for (int v = 0; v < count; ++v) values[v] = start + (stop - start) * v / steps;
  return values;
}

std::vector<double> from_file(DeckSection const& section, std::string const& key, std::string& unit) {
  Hdf5File const file(section.require_path("file"));
  auto const dataset = section.get("dataset", "/" + key);
  file.require_shape(dataset, {-1}, "views");
  for (char const* name : {"units", "unit"})
    if (unit.empty() && file.has_attribute(dataset, name)) unit = file.string_attribute(dataset, name);
  return file.read<double>(dataset);
}

}  // namespace

double radians_per(std::string const& unit) {
  if (unit == "rad" || unit == "radian" || unit == "radians") return 1;
  if (unit == "deg" || unit == "degree" || unit == "degrees") return std::numbers::pi / 180;
  return 0;
}

std::vector<double> read_angles(DeckSection const& geometry, std::string const& key, int num_views, EqualAngles equal) {
  if (!geometry.has(key))
    geometry.fail(key, "expected angles ({file:, dataset:}, {start:, stop:, count:} or {values:}), got none");
  DeckSection const section = geometry.section(key);
  std::string unit = section.has("unit") ? section.require_choice("unit", {"deg", "rad"}) : "";
  std::vector<double> values;
  if (section.has("file"))
    values = from_file(section, key, unit);
  else if (section.has("values"))
    values = section.require<std::vector<double>>("values");
  else if (section.has("start"))
    values = evenly_spaced(section, num_views);
  else
    geometry.fail(key, "expected one of file, values or start, stop and count");
  if (unit.empty()) geometry.fail(key, "expected unit: deg or rad, got none, and the data have no units attribute");
  double const factor = radians_per(unit);
  if (factor == 0) geometry.fail(key, text("expected angles in degrees or radians, the dataset says '", unit, "'"));
  if (num_views >= 0 && static_cast<int>(values.size()) != num_views)
    geometry.fail(key, text("expected ", num_views, " angles, one a view, got ", values.size()));
  if (!std::all_of(values.begin(), values.end(), [](double a) { return std::isfinite(a); }))
    geometry.fail(key, "expected finite angles");
  if (equal == EqualAngles::refused && values.size() > 1 &&
      std::all_of(values.begin(), values.end(), [&](double a) { return a == values[0]; }))
    geometry.fail(key, text("expected different angles, all ", values.size(), " are ", values[0]));
  for (double& value : values) value *= factor;
  return values;
}

}  // namespace strata
