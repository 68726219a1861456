#include "unit_tests/reference/separable_reference.hpp"

#include <algorithm>
#include <cmath>

#include "unit_tests/reference/projector_reference.hpp"

namespace strata::reference {
namespace {

struct Point {
  double x, y, z;  ///< of slice 0
};

double centred(int index, int size) {
  return index - (size - 1) / 2.0;
}

double channel_of(SeparableScanParams const& p, double u) {
  return (u + p.det_channel_offset) / p.delta_det_channel + (p.sinogram.num_det_channels - 1) / 2.0;
}

double row_of(SeparableScanParams const& p, double v) {
  return (v + p.det_row_offset) / p.delta_det_row + (p.sinogram.num_det_rows - 1) / 2.0;
}

Point voxel(SeparableScanParams const& p, int row, int col) {
  return {p.delta_voxel * centred(col, p.recon.num_cols),
          p.delta_voxel * p.voxel_row_aspect * centred(row, p.recon.num_rows),
          p.delta_voxel * p.voxel_slice_aspect * centred(0, p.recon.num_slices) + p.recon_slice_offset};
}

/// Rows of a cylinder magnified by `size`.
void set_rows(SeparableScanParams const& p, double size, double z, double source_detector_dist, PixelRays& rays) {
  double const dz = p.delta_voxel * p.voxel_slice_aspect;
  rays.row = row_of(p, size * z);
  rays.row_step = rays.row_width = size * dz / p.delta_det_row;
  rays.row_scale = 1;
  rays.tangent = size * z / source_detector_dist;
  rays.tangent_step = size * dz / source_detector_dist;
}

}  // namespace

PixelRays rays_of(ConeBeamParams const& p, int view, int row, int col) {
  Point const at = voxel(p, row, col);
  double const a = p.angles[view], sdd = p.source_detector_dist;
  double const x = std::cos(a) * at.x - std::sin(a) * at.y, y = std::sin(a) * at.x + std::cos(a) * at.y;
  double const dx = p.delta_voxel, dy = p.voxel_row_aspect * p.delta_voxel;
  bool const parallel = std::isinf(sdd);
  double const g = parallel ? 1 : sdd / (p.source_iso_dist - y);
  double const theta = parallel ? 0 : std::atan(x / (p.source_iso_dist - y));
  double const length = std::max(std::abs(std::cos(a - theta)) * dx, std::abs(std::sin(a - theta)) * dy);
  bool const curved = p.curved && !parallel;
  double const size = curved && !p.reference_mode ? g * std::cos(theta) : g;
  PixelRays rays{};
  rays.channel = channel_of(p, curved ? sdd * theta : g * x);
  rays.width = curved ? size * length / p.delta_det_channel : g * length / (p.delta_det_channel * std::cos(theta));
  rays.scale = dx * dy / length;
  set_rows(p, size, at.z - (p.z_shifts.empty() ? 0 : p.z_shifts[view]), sdd, rays);
  return rays;
}

PixelRays rays_of(TranslationParams const& p, int view, int row, int col) {
  Point const at = voxel(p, row, col);
  auto const [tx, ty, tz] = p.translation_vectors[view];
  double const sdd = p.source_detector_dist;
  double const g = std::isinf(sdd) ? 1 : sdd / (p.source_iso_dist - (at.y - ty)), u = g * (at.x - tx);
  PixelRays rays{};
  rays.channel = channel_of(p, u);
  rays.width = g * p.delta_voxel / p.delta_det_channel;
  rays.scale = p.delta_voxel * p.voxel_row_aspect * std::hypot(1.0, u / sdd);
  set_rows(p, g, at.z - tz, sdd, rays);
  return rays;
}

PixelRays rays_of(MultiAxisParams const& p, int view, int row, int col) {
  Point const at = voxel(p, row, col);
  double const a = p.azimuths[view], e = p.elevations[view];
  double const x = std::cos(a) * at.x - std::sin(a) * at.y, y = std::sin(a) * at.x + std::cos(a) * at.y;
  double const dx = p.delta_voxel, dy = p.voxel_row_aspect * dx, dz = p.voxel_slice_aspect * dx;
  double const length = std::max(std::abs(std::cos(a)) * dx, std::abs(std::sin(a)) * dy);
  double const height = std::max(
      {dz * std::abs(std::cos(e)), dx * std::abs(std::sin(e) * std::sin(a)), dy * std::abs(std::sin(e) * std::cos(a))});
  PixelRays rays{};
  rays.channel = channel_of(p, x);
  rays.width = length / p.delta_det_channel;
  rays.scale = dx * dy / length;
  rays.row = row_of(p, at.z * std::cos(e) + y * std::sin(e));
  rays.row_step = dz * std::cos(e) / p.delta_det_row;
  rays.row_width = height / p.delta_det_row;
  rays.row_scale = dz / height;
  return rays;
}

std::vector<double> channel_weights(PixelRays const& rays, int num_channels) {
  std::vector<double> weights(num_channels);
  for (int n = 0; n < num_channels; ++n) weights[n] = rays.scale * trapezoid(rays.channel - n, rays.width);
  return weights;
}

std::vector<double> row_weights(PixelRays const& rays, int num_slices, int num_rows) {
  std::vector<double> weights(static_cast<std::size_t>(num_slices) * num_rows);
  for (int k = 0; k < num_slices; ++k) {
    double const secant = std::hypot(1.0, rays.tangent + rays.tangent_step * k);
    for (int m = 0; m < num_rows; ++m)
      weights[static_cast<std::size_t>(k) * num_rows + m] =
          rays.row_scale * secant * trapezoid(rays.row + rays.row_step * k - m, rays.row_width);
  }
  return weights;
}

}  // namespace strata::reference
