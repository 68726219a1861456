#include "geometries/separable_beam.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#include "geometries/separable_team_kernels.hpp"
#else
#include "geometries/separable_workspace.hpp"
#endif

namespace strata {
namespace {

void require_positive(double value, char const* geometry, char const* name) {
  require(std::isfinite(value) && value > 0, geometry, ": ", name, " must be positive and finite, got ", value);
}

void require_finite(double value, char const* geometry, char const* name) {
  require(std::isfinite(value), geometry, ": ", name, " must be finite, got ", value);
}

void require_one_a_view(std::vector<double> const& values, int num_views, char const* geometry, char const* name) {
  require(static_cast<Index>(values.size()) == num_views, geometry, ": expected one of ", name, " for each of ",
          num_views, " views, got ", values.size());
  for (double const value : values) require_finite(value, geometry, name);
}

void validate_scan(SeparableScanParams const& params, char const* geometry) {
  SinogramShape const& sino = params.sinogram;
  ReconShape const& recon = params.recon;
  require(sino.num_views > 0 && sino.num_det_rows > 0 && sino.num_det_channels > 0, geometry,
          ": the sinogram must have at least one view, row and channel, got [", sino.num_views, "][", sino.num_det_rows,
          "][", sino.num_det_channels, "]");
  require(recon.num_rows > 0 && recon.num_cols > 0 && recon.num_slices > 0, geometry,
          ": the volume must have at least one row, column and slice, got [", recon.num_rows, "][", recon.num_cols,
          "][", recon.num_slices, "]");
  require_positive(params.delta_det_channel, geometry, "delta_det_channel");
  require_positive(params.delta_det_row, geometry, "delta_det_row");
  require_positive(params.delta_voxel, geometry, "delta_voxel");
  require_positive(params.voxel_row_aspect, geometry, "voxel_row_aspect");
  require_positive(params.voxel_slice_aspect, geometry, "voxel_slice_aspect");
  require_finite(params.det_channel_offset, geometry, "det_channel_offset");
  require_finite(params.det_row_offset, geometry, "det_row_offset");
  require_finite(params.recon_slice_offset, geometry, "recon_slice_offset");
}

/// \param reach how far the volume comes towards the source
void validate_distances(double source_detector_dist, double source_iso_dist, double reach, char const* geometry) {
  require(source_detector_dist > 0 && source_iso_dist > 0, geometry,
          ": source_detector_dist and source_iso_dist must be positive, got ", source_detector_dist, " and ",
          source_iso_dist);
  if (std::isinf(source_detector_dist)) return;
  require(std::isfinite(source_iso_dist), geometry, ": source_iso_dist must be finite where source_detector_dist is");
  require(reach < source_iso_dist, geometry, ": the volume must not reach the source, which is at ", source_iso_dist,
          " ALU from the centre of rotation; it comes as far as ", reach, " ALU");
}

}  // namespace

void validate(ConeBeamParams const& params) {
  char const* const name = "cone beam";
  validate_scan(params, name);
  require_one_a_view(params.angles, params.sinogram.num_views, name, "angles");
  if (!params.z_shifts.empty()) require_one_a_view(params.z_shifts, params.sinogram.num_views, name, "z_shifts");
  double const half_x = 0.5 * params.recon.num_cols * params.delta_voxel;
  double const half_y = 0.5 * params.recon.num_rows * params.delta_voxel * params.voxel_row_aspect;
  double reach = 0;
  for (double const angle : params.angles)
    reach = std::max(reach, std::hypot(half_x * std::sin(angle), half_y * std::cos(angle)));
  validate_distances(params.source_detector_dist, params.source_iso_dist, reach, name);
}

void validate(TranslationParams const& params) {
  char const* const name = "translation";
  validate_scan(params, name);
  require(static_cast<Index>(params.translation_vectors.size()) == params.sinogram.num_views, name,
          ": expected a translation vector for each of ", params.sinogram.num_views, " views, got ",
          params.translation_vectors.size());
  double nearest = 0;
  for (auto const& vector : params.translation_vectors) {
    for (double const value : vector) require_finite(value, name, "translation_vectors");
    nearest = std::min(nearest, vector[1]);
  }
  double const half_y = 0.5 * params.recon.num_rows * params.delta_voxel * params.voxel_row_aspect;
  validate_distances(params.source_detector_dist, params.source_iso_dist, half_y - nearest, name);
}

void validate(MultiAxisParams const& params) {
  char const* const name = "multi-axis parallel beam";
  validate_scan(params, name);
  require_one_a_view(params.azimuths, params.sinogram.num_views, name, "azimuths");
  require_one_a_view(params.elevations, params.sinogram.num_views, name, "elevations");
}

Index separable_beam_bytes(ExecSpace const& exec, GeometryParams const& params, Range views, SliceBlocks const& blocks,
                           bool moving) {
  constexpr Index view_bytes = 72;
  Index const tables =
      views.size() * view_bytes + (moving ? Index(views.size()) : 1) * params.recon.num_slices * Index(sizeof(Real));
  SinogramShape const& sino = params.sinogram;
  ProjectorShape const projector{views, ViewGroups(sino.num_views), blocks, sino.num_det_channels};
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  separable_teams::TeamShape shape;
  shape.projector = projector;
  shape.num_rows = sino.num_det_rows;
  return tables + separable_teams::team_projector_bytes(exec, shape);
#else
  separable::SeparableShape shape;
  shape.projector = projector;
  shape.cylinder.num_slices = params.recon.num_slices;
  shape.cylinder.num_rows = sino.num_det_rows;
  return tables + separable::Workspace::bytes(exec, shape);
#endif
}

}  // namespace strata
