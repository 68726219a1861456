#include "geometries/cone_grid.hpp"

#include <numbers>

#include "geometries/grid_rounding.hpp"

namespace strata {
namespace {

/// Voxel pitches and what several steps need.
struct VoxelPitches {
  double x, y, z;
};

VoxelPitches pitches_of(ConeGridInput const& input, double delta_voxel) {
  return {delta_voxel, input.voxel_row_aspect * delta_voxel, input.voxel_slice_aspect * delta_voxel};
}

/// Radius of the cylinder that padding is meant for.
double support_radius(ConeGridInput const& input, ReconShape const& recon, VoxelPitches const& pitch) {
  double const rows = recon.num_rows * pitch.y;
  double const cols = recon.num_cols * pitch.x;
  return (input.elliptic_mask ? std::max(rows, cols) : std::hypot(rows, cols)) / 2;
}

/// Detector height over distance: v * reach is the largest z that a ray to v passes inside the cylinder.
double reach_of(ConeGridInput const& input, double magnification, double radius) {
  return 1 / magnification + (std::isinf(input.source_detector_dist) ? 0 : radius / input.source_detector_dist);
}

int padding(double fraction, double length, double pitch, bool reference_mode) {
  double const ratio = fraction * std::max(0.0, length) / pitch;
  return static_cast<int>(std::ceil(reference_mode ? ratio : ratio - whole_tolerance));
}

/// Source: geometry.md 2.2.
ConeGrid reference_grid(ConeGridInput const& input) {
  double const magnification = cone_magnification(input.source_detector_dist, input.source_iso_dist);
  ConeGrid grid;
  grid.delta_voxel = input.delta_voxel > 0 ? input.delta_voxel : input.delta_det_channel / magnification;
  VoxelPitches const pitch = pitches_of(input, grid.delta_voxel);
  auto const nearest = [&](double step) {
    double const cells = input.sinogram.num_det_channels * (input.delta_det_channel / step / magnification);
    return static_cast<int>(std::nearbyint(static_cast<float>(cells)));
  };
  grid.recon.num_rows = nearest(pitch.y);
  grid.recon.num_cols = nearest(pitch.x);
  int const num_det_rows = input.sinogram.num_det_rows;
  double const height = num_det_rows * (input.delta_det_row / magnification);
  auto const low = static_cast<float>(input.z_shift_min);
  auto const high = static_cast<float>(input.z_shift_max);
  float const cells = (static_cast<float>(height) + (high - low)) / static_cast<float>(pitch.z);
  int const slices = std::max(1, static_cast<int>(std::ceil(cells)));
  double const reach = reach_of(input, magnification, support_radius(input, grid.recon, pitch));
  double const half = num_det_rows * input.delta_det_row / 2;
  int const top = padding(input.pad_top, (half + input.det_row_offset) * reach - height / 2, pitch.z, true);
  int const bottom = padding(input.pad_bottom, (half - input.det_row_offset) * reach - height / 2, pitch.z, true);
  grid.recon.num_slices = slices + top + bottom;
  grid.recon_slice_offset = 0.5f * (low + high) + 0.5 * (bottom - top) * pitch.z;
  return grid;
}

/// Radius of the circle that is seen on the wider side of the axis.
double field_of_view(ConeGridInput const& input) {
  double const half = input.sinogram.num_det_channels * input.delta_det_channel / 2;
  double const edge = half + std::abs(input.det_channel_offset);
  if (std::isinf(input.source_detector_dist)) return edge;
  double const fan = edge / input.source_detector_dist;
  double const angle = input.use_curved_detector ? std::min(fan, std::numbers::pi / 2) : std::atan(fan);
  return input.source_iso_dist * std::sin(angle);
}

}  // namespace

double cone_magnification(double source_detector_dist, double source_iso_dist) {
  return std::isinf(source_detector_dist) ? 1 : source_detector_dist / source_iso_dist;
}

ConeGrid automatic_cone_grid(ConeGridInput const& input, bool reference_mode) {
  if (reference_mode) return reference_grid(input);
  double const magnification = cone_magnification(input.source_detector_dist, input.source_iso_dist);
  ConeGrid grid;
  grid.delta_voxel = input.delta_voxel > 0 ? input.delta_voxel : input.delta_det_channel / magnification;
  VoxelPitches const pitch = pitches_of(input, grid.delta_voxel);
  double const width = 2 * field_of_view(input);
  grid.recon.num_rows = cells_to_cover(width / pitch.y);
  grid.recon.num_cols = cells_to_cover(width / pitch.x);
  double const height = input.sinogram.num_det_rows * input.delta_det_row / magnification;
  int const slices = cells_to_cover((height + input.z_shift_max - input.z_shift_min) / pitch.z);
  // The detector's upper and lower edge; what rays to them reach beyond the axis.
  double const half = input.sinogram.num_det_rows * input.delta_det_row / 2;
  double const beyond = reach_of(input, magnification, support_radius(input, grid.recon, pitch)) - 1 / magnification;
  int const top = padding(input.pad_top, (half + input.det_row_offset) * beyond, pitch.z, false);
  int const bottom = padding(input.pad_bottom, (half - input.det_row_offset) * beyond, pitch.z, false);
  grid.recon.num_slices = slices + top + bottom;
  // A small offset is a calibration and moves nothing; whole slices, so that slices stay where they were.
  double const displaced = std::nearbyint(-input.det_row_offset / magnification / pitch.z);
  grid.recon_slice_offset = (input.z_shift_min + input.z_shift_max) / 2 + (displaced + 0.5 * (bottom - top)) * pitch.z;
  return grid;
}

}  // namespace strata
