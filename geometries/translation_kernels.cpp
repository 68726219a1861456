/// Cone beams on a translated object: set-up, and the kernels compiled for them.
#include "geometries/separable_setup.hpp"
#include "geometries/translation_footprint.hpp"

namespace strata {
namespace {

using separable::first_of;
using separable::Pitches;
using separable::SourceDepth;

/// Depth of row `row` in a view shifted by y = `shift`.
double depth_of(TranslationParams const& params, SourceDepth const& source, int row, double shift) {
  double const y = Pitches(params).dy * (first_of(params.recon.num_rows) + row) - shift;
  return source.at_axis - y * source.inverse;
}

TranslationFootprint::View view_of(TranslationParams const& params, SourceDepth const& source, int v) {
  Pitches const pitch(params);
  auto const [tx, ty, tz] = params.translation_vectors[v];
  return {(pitch.dx * first_of(params.recon.num_cols) - tx) / params.delta_det_channel, depth_of(params, source, 0, ty),
          (pitch.dz * first_of(params.recon.num_slices) + params.recon_slice_offset - tz) / params.delta_det_row};
}

separable::TapLimits reference_limits(TranslationParams const& params) {
  if (std::isinf(params.source_detector_dist)) return {};
  Pitches const pitch(params);
  double farthest = params.translation_vectors.front()[1];
  for (auto const& vector : params.translation_vectors) farthest = std::max(farthest, vector[1]);
  double const near = params.source_iso_dist - 0.5 * params.recon.num_rows * pitch.dy - farthest;
  double const cell = std::min(params.delta_det_channel, params.delta_det_row);
  require(near > 0, "translation: the reference's window needs the volume shifted by ", farthest,
          " ALU to stay clear of the source, at ", params.source_iso_dist, " ALU");
  int const radius =
      separable::reference_radius(std::max(pitch.dx, pitch.dz) * params.source_detector_dist / near / cell);
  return {radius, radius};
}

}  // namespace

std::unique_ptr<Projector> make_translation(ExecSpace const& exec, TranslationParams const& params, Range views,
                                            SliceBlocks const& blocks, KernelChoice kernels) {
  validate(params);
  Pitches const pitch(params);
  SourceDepth const source(params.source_detector_dist, params.source_iso_dist, pitch);
  int const slices = params.recon.num_slices;
  std::vector<double> heights;
  double smallest = source.at_axis;
  for (auto const& vector : params.translation_vectors) {
    heights.push_back(first_of(slices) + (params.recon_slice_offset - vector[2]) / pitch.dz);
    smallest = std::min(smallest, depth_of(params, source, params.recon.num_rows - 1, vector[1]));
  }
  TranslationFootprint f;
  f.views =
      separable::view_table<TranslationFootprint::View>(exec, views, [&](int v) { return view_of(params, source, v); });
  f.heights = separable::height_table(exec, heights, views, slices);
  f.height_stride = f.heights.extent(0) > 1 ? f.heights.extent_int(1) : 0;
  f.num_channels = params.sinogram.num_det_channels;
  if (params.reference_mode) f.limits = reference_limits(params);
  f.rays.x_col = pitch.dx / params.delta_det_channel;
  f.rays.depth_row = -pitch.dy * source.inverse;
  f.rays.middle_channel = params.det_channel_offset / params.delta_det_channel + 0.5 * params.sinogram.num_det_channels;
  f.rays.middle_row = params.det_row_offset / params.delta_det_row + 0.5 * params.sinogram.num_det_rows;
  f.rays.tangent_per_channel = params.delta_det_channel * source.inverse;
  f.rays.slice_step = pitch.dz / params.delta_det_row;
  f.rays.nearest = source.nearest;
  f.rays.col_width = static_cast<Real>(pitch.dx / params.delta_det_channel);
  f.rays.row_length = static_cast<Real>(pitch.dy);
  f.rays.rise = static_cast<Real>(pitch.dz * source.inverse * (pitch.dz * source.inverse));
  separable::SecantRule const secant(separable::largest_tangent_squared(
      heights, slices, pitch.dz, std::max(smallest, source.nearest), source.inverse));
  return separable::make_projector(exec, std::move(f), params, secant, views, blocks, kernels);
}

}  // namespace strata
