/// Parallel beams from any direction: set-up, and the kernels compiled for them.
#include "geometries/multiaxis_footprint.hpp"
#include "geometries/separable_setup.hpp"

namespace strata {
namespace {

using separable::first_of;
using separable::Pitches;

MultiAxisFootprint::View view_of(MultiAxisParams const& params, int v) {
  Pitches const pitch(params);
  double const ca = std::cos(params.azimuths[v]), sa = std::sin(params.azimuths[v]);
  double const ce = std::cos(params.elevations[v]), se = std::sin(params.elevations[v]);
  double const x0 = pitch.dx * first_of(params.recon.num_cols), y0 = pitch.dy * first_of(params.recon.num_rows);
  double const z0 = pitch.dz * first_of(params.recon.num_slices) + params.recon_slice_offset;
  double const length = std::max(std::abs(ca) * pitch.dx, std::abs(sa) * pitch.dy);
  double const height = std::max({pitch.dz * std::abs(ce), pitch.dx * std::abs(se * sa), pitch.dy * std::abs(se * ca)});
  double const dc = params.delta_det_channel, dr = params.delta_det_row;
  MultiAxisFootprint::View view;
  view.channel =
      (ca * x0 - sa * y0 - 0.5 * length + params.det_channel_offset) / dc + 0.5 * params.sinogram.num_det_channels;
  view.channel_col = ca * pitch.dx / dc;
  view.channel_row = -sa * pitch.dy / dc;
  view.row = (z0 * ce + (sa * x0 + ca * y0) * se - 0.5 * height + params.det_row_offset) / dr +
             0.5 * params.sinogram.num_det_rows;
  view.row_col = sa * pitch.dx * se / dr;
  view.row_row = ca * pitch.dy * se / dr;
  view.row_slice = pitch.dz * ce / dr;
  view.width = static_cast<Real>(length / dc);
  // Where boxes of neighbouring slices join, step and width must be the same number.
  view.row_width = static_cast<Real>(height == pitch.dz * ce ? view.row_slice : height / dr);
  view.scale = static_cast<Real>(pitch.dx * pitch.dy / length * (pitch.dz / height));
  return view;
}

}  // namespace

std::unique_ptr<Projector> make_multiaxis(ExecSpace const& exec, MultiAxisParams const& params, Range views,
                                          SliceBlocks const& blocks, KernelChoice kernels) {
  validate(params);
  MultiAxisFootprint f;
  f.views = separable::view_table<MultiAxisFootprint::View>(exec, views, [&](int v) { return view_of(params, v); });
  f.flat = make_zero_view<Array1<Real>>(exec, "strata::separable::heights", (params.recon.num_slices + 15) / 16 * 16);
  exec.fence("strata::make_multiaxis: zeros are used next");
  f.num_channels = params.sinogram.num_det_channels;
  return separable::make_projector(exec, std::move(f), params, separable::SecantRule(), views, blocks, kernels);
}

}  // namespace strata
