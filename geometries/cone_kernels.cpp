/// Cone beams: set-up, and the kernels compiled for them.
#include "geometries/cone_footprint.hpp"
#include "geometries/separable_setup.hpp"

namespace strata {
namespace {

using separable::first_of;
using separable::Pitches;
using separable::SourceDepth;

template <bool curved>
typename ConeFootprint<curved>::View view_of(ConeBeamParams const& params, int v) {
  Pitches const pitch(params);
  SourceDepth const source(params.source_detector_dist, params.source_iso_dist, pitch);
  double const c = std::cos(params.angles[v]), s = std::sin(params.angles[v]);
  double const x0 = pitch.dx * first_of(params.recon.num_cols), y0 = pitch.dy * first_of(params.recon.num_rows);
  double const z0 = pitch.dz * first_of(params.recon.num_slices) + params.recon_slice_offset -
                    (params.z_shifts.empty() ? 0 : params.z_shifts[v]);
  auto const real = [](double x) { return static_cast<Real>(x); };
  typename ConeFootprint<curved>::View view;
  view.x = (c * x0 - s * y0) / params.delta_det_channel;
  view.x_col = c * pitch.dx / params.delta_det_channel;
  view.x_row = -s * pitch.dy / params.delta_det_channel;
  view.depth = source.at_axis - (s * x0 + c * y0) * source.inverse;
  view.depth_col = -s * pitch.dx * source.inverse;
  view.depth_row = -c * pitch.dy * source.inverse;
  view.z = z0 / params.delta_det_row;
  view.cos_dx = real(c * pitch.dx);
  view.sin_dx = real(s * pitch.dx);
  view.sin_dy = real(s * pitch.dy);
  view.cos_dy = real(c * pitch.dy);
  return view;
}

/// [view] heights of slice 0 over the source's plane, in slices.
std::vector<double> first_heights(ConeBeamParams const& params) {
  double const dz = Pitches(params).dz;
  std::vector<double> heights;
  for (int v = 0; v < params.sinogram.num_views; ++v)
    heights.push_back(first_of(params.recon.num_slices) +
                      (params.recon_slice_offset - (params.z_shifts.empty() ? 0 : params.z_shifts[v])) / dz);
  return heights;
}

separable::TapLimits reference_limits(ConeBeamParams const& params) {
  Pitches const pitch(params);
  double const reach = 0.5 * std::max(params.recon.num_cols * pitch.dx, params.recon.num_rows * pitch.dy);
  double const sdd = params.source_detector_dist, sid = params.source_iso_dist;
  double const largest = std::isinf(sdd) ? 1 : sdd / (sid - reach),
               smallest = std::isinf(sdd) ? 1 : sdd / (sid + reach);
  double const cell = std::min(params.delta_det_channel, params.delta_det_row);
  return {separable::reference_radius(std::max({pitch.dx, pitch.dy, pitch.dz}) * largest / cell),
          separable::reference_radius(cell / (smallest * std::min({pitch.dx, pitch.dy, pitch.dz})))};
}

/// Smallest depth of a pixel in any view.
double smallest_depth(ConeBeamParams const& params, SourceDepth const& source) {
  Pitches const pitch(params);
  double const x = pitch.dx * first_of(params.recon.num_cols), y = pitch.dy * first_of(params.recon.num_rows);
  double farthest = 0;
  for (double const angle : params.angles)
    farthest = std::max(farthest, std::abs(std::sin(angle) * x) + std::abs(std::cos(angle) * y));
  return std::max(source.at_axis - farthest * source.inverse, source.nearest);
}

template <bool curved>
std::unique_ptr<Projector> make_beam(ExecSpace const& exec, ConeBeamParams const& params, Range views,
                                     SliceBlocks const& blocks, KernelChoice kernels) {
  Pitches const pitch(params);
  SourceDepth const source(params.source_detector_dist, params.source_iso_dist, pitch);
  auto const heights = first_heights(params);
  int const slices = params.recon.num_slices;
  ConeFootprint<curved> f;
  f.views = separable::view_table<typename ConeFootprint<curved>::View>(
      exec, views, [&](int v) { return view_of<curved>(params, v); });
  f.heights = separable::height_table(exec, heights, views, slices);
  f.height_stride = f.heights.extent(0) > 1 ? f.heights.extent_int(1) : 0;
  f.num_channels = params.sinogram.num_det_channels;
  if (params.reference_mode) f.limits = reference_limits(params);
  f.rays.middle_channel = params.det_channel_offset / params.delta_det_channel + 0.5 * params.sinogram.num_det_channels;
  f.rays.middle_row = params.det_row_offset / params.delta_det_row + 0.5 * params.sinogram.num_det_rows;
  f.rays.tangent_per_channel = params.delta_det_channel * source.inverse;
  f.rays.channels_per_angle = curved ? params.source_detector_dist / params.delta_det_channel : 0;
  f.rays.slice_step = pitch.dz / params.delta_det_row;
  f.rays.nearest = source.nearest;
  f.rays.channels_per_length = static_cast<Real>(1 / params.delta_det_channel);
  f.rays.area = static_cast<Real>(pitch.dx * pitch.dy);
  f.rays.rise = static_cast<Real>(pitch.dz * source.inverse * (pitch.dz * source.inverse));
  f.rays.by_distance = params.reference_mode ? 0 : 1;
  separable::SecantRule const secant(
      separable::largest_tangent_squared(heights, slices, pitch.dz, smallest_depth(params, source), source.inverse));
  return separable::make_projector(exec, std::move(f), params, secant, views, blocks, kernels);
}

}  // namespace

std::unique_ptr<Projector> make_cone_beam(ExecSpace const& exec, ConeBeamParams const& params, Range views,
                                          SliceBlocks const& blocks, KernelChoice kernels) {
  validate(params);
  if (params.curved && std::isfinite(params.source_detector_dist))
    return make_beam<true>(exec, params, views, blocks, kernels);
  return make_beam<false>(exec, params, views, blocks, kernels);
}

}  // namespace strata
