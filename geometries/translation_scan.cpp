#include "geometries/translation_scan.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "geometries/deck_geometry.hpp"
#include "geometries/deck_vectors.hpp"
#include "geometries/perspective_filter.hpp"
#include "geometries/scan_common.hpp"
#include "geometries/separable_beam.hpp"
#include "geometries/source_distance.hpp"
#include "geometries/translation_grid.hpp"

namespace strata {
namespace {

class TranslationScan final : public Geometry {
 public:
  explicit TranslationScan(TranslationScanParams const& params) : Geometry(params.common), scan_(params) {
    require_views(scan_.translation_vectors.size(), params.common.sinogram, "translation vectors");
    require(scan_.source_iso_dist > 0 && scan_.source_detector_dist >= scan_.source_iso_dist &&
                std::isfinite(scan_.source_detector_dist),
            "translation: expected 0 < source_iso_dist <= source_detector_dist, both finite, got ",
            scan_.source_iso_dist, " and ", scan_.source_detector_dist);
  }

  std::string type() const override { return "translation"; }
  std::string direct_name() const override { return "fdk"; }
  SliceBlocks det_row_blocks(SliceBlocks const&) const override {
    return SliceBlocks::single(params().sinogram.num_det_rows);
  }

  std::unique_ptr<Projector> make_projector(ExecSpace const& exec, Range views,
                                            SliceBlocks const& slices) const override {
    TranslationParams beam;
    fill_beam(params(), beam);
    beam.translation_vectors = scan_.translation_vectors;
    beam.source_detector_dist = scan_.source_detector_dist;
    beam.source_iso_dist = scan_.source_iso_dist;
    beam.reference_mode = scan_.reference_mode;
    return make_translation(exec, beam, views, slices);
  }

  Index projector_bytes(ExecSpace const& exec, Range views, SliceBlocks const& slices) const override {
    return separable_beam_bytes(exec, params(), views, slices, true);
  }

  DirectFilterParams direct_filter() const override {
    return perspective_filter({params(), scan_.source_detector_dist, false, scan_.reference_mode});
  }

  std::vector<NamedParameter> extra_parameters() const override {
    NamedParameter vectors{"translation_vectors", {}, "", 3};
    for (auto const& vector : scan_.translation_vectors)
      vectors.numbers.insert(vectors.numbers.end(), vector.begin(), vector.end());
    return {vectors};
  }

 private:
  TranslationScanParams scan_;
};

/// How far any voxel comes towards the source, which is at +y: a view shifts the object by minus its vector.
double reach_towards_source(TranslationScanParams const& scan) {
  GeometryParams const& common = scan.common;
  double const half_depth = common.recon.num_rows * common.voxel_row_aspect * common.delta_voxel / 2;
  auto const& vectors = scan.translation_vectors;
  return half_depth - (*std::ranges::min_element(vectors, {}, [](auto const& t) { return t[1]; }))[1];
}

}  // namespace

std::shared_ptr<Geometry const> make_translation_scan(TranslationScanParams params) {
  params.common.magnification = params.source_detector_dist / params.source_iso_dist;
  return std::make_shared<TranslationScan>(params);
}

std::shared_ptr<Geometry const> make_translation_scan(DeckSection const& geometry, SinogramShape const& shape) {
  TranslationScanParams scan;
  scan.common = read_common_geometry(geometry, shape);
  scan.translation_vectors = read_view_vectors(geometry, "translation_vectors", shape.num_views);
  auto const distances = read_source_distances(geometry, /*infinity_allowed=*/false);
  scan.source_detector_dist = distances.source_detector_dist;
  scan.source_iso_dist = distances.source_iso_dist;
  scan.reference_mode = geometry.get("reference_mode", false);
  TranslationGridInput input;
  fill_grid_input(scan.common, input);
  input.source_detector_dist = scan.source_detector_dist;
  input.source_iso_dist = scan.source_iso_dist;
  if (geometry.has("voxel_row_aspect")) input.voxel_row_aspect = scan.common.voxel_row_aspect;
  input.translation_vectors = scan.translation_vectors;
  TranslationGrid const grid = automatic_translation_grid(input, scan.reference_mode);
  fill_grid(geometry, grid.recon, grid.delta_voxel, scan.common);
  scan.common.voxel_row_aspect = grid.voxel_row_aspect;
  geometry.record("voxel_row_aspect", grid.voxel_row_aspect);
  record_grid(geometry, scan.common);
  require_clear_of_source(geometry, reach_towards_source(scan), scan.source_iso_dist, scan.reference_mode);
  return make_translation_scan(scan);
}

}  // namespace strata
