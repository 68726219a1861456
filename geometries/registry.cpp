#include "geometries/registry.hpp"

#include "geometries/cone_scan.hpp"
#include "geometries/multiaxis_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "geometries/translation_scan.hpp"

namespace strata {
namespace {

struct GeometryEntry {
  char const* name;
  std::shared_ptr<Geometry const> (*make)(DeckSection const&, SinogramShape const&);
};

constexpr GeometryEntry table[] = {
    {"parallel", &make_parallel_scan},
    {"cone", &make_cone_scan},
    {"translation", &make_translation_scan},
    {"multiaxis_parallel", &make_multiaxis_scan},
};

}  // namespace

std::vector<std::string> geometry_names() {
  std::vector<std::string> names;
  for (auto const& entry : table) names.emplace_back(entry.name);
  return names;
}

std::shared_ptr<Geometry const> make_geometry(DeckSection const& geometry, SinogramShape const& shape) {
  auto const type = geometry.require_choice("type", geometry_names());
  for (auto const& entry : table)
    if (type == entry.name) return entry.make(geometry, shape);
  geometry.fail("type", "unknown geometry");
}

}  // namespace strata
