#include "geometries/source_distance.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/log.hpp"

namespace strata {

double support_radius(GeometryParams const& params, bool elliptic_mask) {
  double const dx = params.delta_voxel;
  double const dy = params.voxel_row_aspect * params.delta_voxel;
  double const cols = params.recon.num_cols;
  double const rows = params.recon.num_rows;
  if (!elliptic_mask) return std::hypot(cols * dx, rows * dy) / 2;
  // The ellipse goes through the centres of the outermost voxels.
  return (std::max((cols - 1) * dx, (rows - 1) * dy) + std::hypot(dx, dy)) / 2;
}

void require_clear_of_source(DeckSection const& geometry, double reach, double distance, bool reference_mode) {
  if (reach < distance) return;
  std::string const message =
      text("expected a volume that stays clear of the source, ", distance, " from the axis, but it reaches ", reach);
  if (!reference_mode) geometry.fail("recon_shape", message);
  log::warn(geometry.at("recon_shape"), ": ", message);
}

SourceDistances read_source_distances(DeckSection const& geometry, bool infinity_allowed) {
  SourceDistances distances;
  auto const read = [&](char const* key) {
    double const value = infinity_allowed ? geometry.require_unbounded(key) : geometry.require<double>(key);
    if (!(value > 0)) geometry.fail(key, text("expected a distance > 0, got ", value));
    return value;
  };
  distances.source_detector_dist = read("source_detector_dist");
  distances.source_iso_dist = read("source_iso_dist");
  if (distances.source_iso_dist > distances.source_detector_dist)
    geometry.fail("source_iso_dist", text("expected at most source_detector_dist, ", distances.source_detector_dist,
                                          ", got ", distances.source_iso_dist));
  return distances;
}

bool has_elliptic_mask(DeckSection const& geometry, bool fallback) {
  return geometry.kind("use_ror_mask") != DeckSection::Kind::section && geometry.get("use_ror_mask", fallback);
}

}  // namespace strata
