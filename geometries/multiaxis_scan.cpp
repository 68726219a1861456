#include "geometries/multiaxis_scan.hpp"

#include "core/base/error.hpp"
#include "geometries/deck_angles.hpp"
#include "geometries/deck_geometry.hpp"
#include "geometries/multiaxis_grid.hpp"
#include "geometries/scan_common.hpp"
#include "geometries/separable_beam.hpp"

namespace strata {
namespace {

class MultiAxisScan final : public Geometry {
 public:
  explicit MultiAxisScan(MultiAxisScanParams const& params) : Geometry(params.common), scan_(params) {
    require_views(scan_.azimuths.size(), params.common.sinogram, "azimuths");
    require_views(scan_.elevations.size(), params.common.sinogram, "elevations");
  }

  std::string type() const override { return "multiaxis_parallel"; }
  std::string direct_name() const override { return "fbp"; }
  SliceBlocks det_row_blocks(SliceBlocks const&) const override {
    return SliceBlocks::single(params().sinogram.num_det_rows);
  }

  std::unique_ptr<Projector> make_projector(ExecSpace const& exec, Range views,
                                            SliceBlocks const& slices) const override {
    MultiAxisParams beam;
    fill_beam(params(), beam);
    beam.azimuths = scan_.azimuths;
    beam.elevations = scan_.elevations;
    beam.recon_slice_offset = params().recon_slice_offset;
    beam.reference_mode = scan_.reference_mode;
    return make_multiaxis(exec, beam, views, slices);
  }

  Index projector_bytes(ExecSpace const& exec, Range views, SliceBlocks const& slices) const override {
    return separable_beam_bytes(exec, params(), views, slices, false);
  }

  DirectFilterParams direct_filter() const override {
    double const pitch = params().delta_voxel;
    return {.scale = 1 / (pitch * pitch * params().voxel_row_aspect)};
  }

  std::shared_ptr<Geometry const> coarsened(int factor) const override {
    MultiAxisScanParams coarse = scan_;
    coarse.common = strata::coarsened(params(), factor, true);
    return make_multiaxis_scan(coarse);
  }

  std::vector<NamedParameter> extra_parameters() const override {
    return {{"azimuths", scan_.azimuths, ""}, {"elevations", scan_.elevations, ""}};
  }

 private:
  MultiAxisScanParams scan_;
};

}  // namespace

std::shared_ptr<Geometry const> make_multiaxis_scan(MultiAxisScanParams const& params) {
  return std::make_shared<MultiAxisScan>(params);
}

std::shared_ptr<Geometry const> make_multiaxis_scan(DeckSection const& geometry, SinogramShape const& shape) {
  MultiAxisScanParams scan;
  scan.common = read_common_geometry(geometry, shape);
  scan.azimuths = read_angles(geometry, "azimuths", shape.num_views, EqualAngles::allowed);
  scan.elevations = read_angles(geometry, "elevations", shape.num_views, EqualAngles::allowed);
  scan.reference_mode = geometry.get("reference_mode", false);
  MultiAxisGridInput input;
  fill_grid_input(scan.common, input);
  input.voxel_row_aspect = scan.common.voxel_row_aspect;
  input.elevations = scan.elevations;
  VolumeGrid const grid = automatic_multiaxis_grid(input, scan.reference_mode);
  fill_grid(geometry, grid.recon, grid.delta_voxel, scan.common);
  scan.common.recon_slice_offset = recorded_slice_offset(geometry, 0);
  record_grid(geometry, scan.common);
  return make_multiaxis_scan(scan);
}

}  // namespace strata
