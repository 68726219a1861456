#include "geometries/parallel_scan.hpp"

#include "core/base/error.hpp"
#include "geometries/deck_angles.hpp"
#include "geometries/deck_geometry.hpp"
#include "geometries/parallel_beam.hpp"
#include "geometries/parallel_grid.hpp"
#include "geometries/perspective_filter.hpp"
#include "geometries/pixel_correlations.hpp"

namespace strata {
namespace {

class ParallelScan final : public Geometry {
 public:
  ParallelScan(GeometryParams const& params, std::vector<double> const& angles, bool reference_mode)
      : Geometry(params), reference_mode_(reference_mode), beam_{params.sinogram,
                                                                 params.recon,
                                                                 angles,
                                                                 params.delta_det_channel,
                                                                 params.delta_det_row,
                                                                 params.det_channel_offset,
                                                                 params.delta_voxel,
                                                                 params.voxel_row_aspect} {
    validate(beam_);
  }

  std::string type() const override { return "parallel"; }
  std::string direct_name() const override { return "fbp"; }
  /// Detector row m is slice m, so rows are stored as slices are.
  SliceBlocks det_row_blocks(SliceBlocks const& slices) const override { return slices; }

  std::unique_ptr<Projector> make_projector(ExecSpace const& exec, Range views,
                                            SliceBlocks const& slices) const override {
    return make_parallel_beam(exec, beam_, views, slices);
  }

  Index projector_bytes(ExecSpace const& exec, Range views, SliceBlocks const& slices) const override {
    return parallel_beam_bytes(exec, params().sinogram, views, slices);
  }

  DirectFilterParams direct_filter() const override {
    double const pitch = params().delta_voxel;
    return {.scale = 1 / (pitch * pitch * params().voxel_row_aspect)};
  }

  RayFan ray_fan() const override {
    if (reference_mode_) return {};
    auto const channels = params().sinogram.num_det_channels;
    return {beam_.angles, std::vector<double>(channels, 0.0), channel_distances(params())};
  }

  std::optional<PixelCorrelations> pixel_correlations() const override {
    return parallel_pixel_correlations(params(), beam_.angles);
  }

  std::shared_ptr<Geometry const> widened(int before, int after) const override {
    return std::make_shared<ParallelScan>(strata::widened(params(), before, after), beam_.angles, reference_mode_);
  }

  std::shared_ptr<Geometry const> coarsened(int factor) const override {
    return std::make_shared<ParallelScan>(strata::coarsened(params(), factor, false), beam_.angles, reference_mode_);
  }

  std::vector<NamedParameter> extra_parameters() const override { return {{"angles", beam_.angles, ""}}; }

 private:
  bool reference_mode_;
  ParallelBeamParams beam_;
};

}  // namespace

std::shared_ptr<Geometry const> make_parallel_scan(GeometryParams const& params, std::vector<double> const& angles,
                                                   bool reference_mode) {
  return std::make_shared<ParallelScan>(params, angles, reference_mode);
}

std::shared_ptr<Geometry const> make_parallel_scan(DeckSection const& geometry, SinogramShape const& shape) {
  GeometryParams params = read_common_geometry(geometry, shape);
  auto const angles = read_angles(geometry, "angles", shape.num_views);
  if (params.voxel_slice_aspect != 1)
    geometry.fail("voxel_slice_aspect", text("expected 1 for parallel beams, got ", params.voxel_slice_aspect));
  bool const reference_mode = geometry.get("reference_mode", false);
  VolumeGrid const grid = automatic_parallel_grid(
      {shape, params.delta_det_channel, params.delta_det_row, params.delta_voxel, params.voxel_row_aspect},
      reference_mode);
  params.delta_voxel = grid.delta_voxel;
  if (params.recon.num_rows == 0) params.recon = grid.recon;
  if (params.recon.num_slices != shape.num_det_rows)
    geometry.fail("recon_shape", text("expected as many slices as detector rows (", shape.num_det_rows,
                                      ") for parallel beams, got ", params.recon.num_slices));
  record_grid(geometry, params);
  return make_parallel_scan(params, angles, reference_mode);
}

}  // namespace strata
