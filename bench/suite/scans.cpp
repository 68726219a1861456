#include "bench/suite/scans.hpp"

#include <cmath>
#include <numbers>

#include "geometries/cone_scan.hpp"
#include "geometries/multiaxis_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "geometries/translation_scan.hpp"

namespace strata::bench {
namespace {

using Make = std::shared_ptr<Geometry const> (*)(Scan const&);

/// Taps across the channels, of all rows, and then along the slices: two each where a voxel is seen no larger than a
/// pixel.
constexpr double separable_fma = 4;

/// Angles that a float holds: MBIRJAX keeps them so, and is to project the same scan.
std::vector<double> evenly(double turn, int views) {
  std::vector<double> angles(static_cast<std::size_t>(views));
  for (int v = 0; v < views; ++v) angles[static_cast<std::size_t>(v)] = static_cast<float>(turn * v / views);
  return angles;
}

GeometryParams common(Scan const& scan) {
  GeometryParams params;
  params.sinogram = scan.sinogram;
  params.recon = scan.recon;
  params.delta_voxel = scan.delta_voxel;
  return params;
}

std::shared_ptr<Geometry const> make_parallel(Scan const& scan) {
  return make_parallel_scan(common(scan), evenly(std::numbers::pi, scan.sinogram.num_views), scan.reference_mode);
}

std::shared_ptr<Geometry const> make_cone(Scan const& scan) {
  ConeScanParams params;
  params.common = common(scan);
  params.angles = evenly(2 * std::numbers::pi, scan.sinogram.num_views);
  params.reference_mode = scan.reference_mode;
  params.source_detector_dist = scan.source_detector_dist;
  params.source_iso_dist = scan.source_iso_dist;
  return make_cone_scan(params);
}

std::shared_ptr<Geometry const> make_translation(Scan const& scan) {
  TranslationScanParams params;
  params.common = common(scan);
  params.reference_mode = scan.reference_mode;
  params.source_detector_dist = scan.source_detector_dist;
  params.source_iso_dist = scan.source_iso_dist;
  int const side = static_cast<int>(std::lround(std::sqrt(scan.sinogram.num_views)));
  double const step = 0.25 * scan.sinogram.num_det_channels / side;
  for (int z = 0; z < side; ++z)
    for (int x = 0; x < side; ++x)
      params.translation_vectors.push_back({step * (x - 0.5 * (side - 1)), 0, step * (z - 0.5 * (side - 1))});
  return make_translation_scan(params);
}

std::shared_ptr<Geometry const> make_multiaxis(Scan const& scan) {
  MultiAxisScanParams params;
  params.common = common(scan);
  params.reference_mode = scan.reference_mode;
  params.azimuths = evenly(2 * std::numbers::pi, scan.sinogram.num_views);
  params.elevations.assign(params.azimuths.size(), std::numbers::pi / 6);
  return make_multiaxis_scan(params);
}

Scan box(std::string name, int size, int slices, int views, Region region, Make make) {
  return {.name = std::move(name),
          .sinogram = {views, slices, size},
          .recon = {size, size, slices},
          .region = region,
          .make = make};
}

Scan cube(std::string name, int size, int views, Region region, Make make) {
  return box(std::move(name), size, size, views, region, make);
}

Scan divergent(Scan scan) {
  scan.source_detector_dist = 4.0 * scan.sinogram.num_det_channels;
  scan.source_iso_dist = 0.5 * scan.source_detector_dist;
  scan.delta_voxel = 0.5;
  scan.fma_per_update = separable_fma;
  return scan;
}

}  // namespace

Scan parallel_cube(std::string name, int size, int views, Region region) {
  return cube(std::move(name), size, views, region, make_parallel);
}

Scan parallel_box(std::string name, int size, int slices, int views, Region region) {
  return box(std::move(name), size, slices, views, region, make_parallel);
}

Scan cone_cube(std::string name, int size, int views, Region region) {
  return cone_box(std::move(name), size, size, views, region);
}

Scan cone_box(std::string name, int size, int slices, int views, Region region) {
  return divergent(box(std::move(name), size, slices, views, region, make_cone));
}

Scan translation_cube(std::string name, int size, int side) {
  return divergent(cube(std::move(name), size, side * side, Region::all, make_translation));
}

Scan multiaxis_cube(std::string name, int size, int views) {
  Scan scan = cube(std::move(name), size, views, Region::all, make_multiaxis);
  scan.fma_per_update = separable_fma;
  return scan;
}

}  // namespace strata::bench
