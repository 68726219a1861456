#include <algorithm>
#include <cmath>

#include "geometries/cone_grid.hpp"
#include "geometries/cone_scan.hpp"

namespace strata {
namespace {

/// [slice] before any helical shift.
std::vector<double> slice_positions(GeometryParams const& params) {
  double const pitch = params.voxel_slice_aspect * params.delta_voxel;
  int const count = params.recon.num_slices;
  std::vector<double> z(count);
  for (int k = 0; k < count; ++k) z[k] = pitch * (k - (count - 1) / 2.0) + params.recon_slice_offset;
  return z;
}

}  // namespace

std::vector<double> cone_mean_damping(ConeScanParams const& params) {
  constexpr double near_plane = 0.25, far = 0.5, half_way = 100, power = 0.7;
  double const half_way_power = std::pow(half_way, power);
  GeometryParams const& common = params.common;
  double const pitch = common.voxel_slice_aspect * common.delta_voxel;
  double const factor = common.recon.num_rows * common.delta_voxel / (params.source_iso_dist * pitch);
  std::vector<double> const still(1, 0.0);
  auto const& shifts = params.helical_z_shifts.empty() ? still : params.helical_z_shifts;
  std::vector<double> damping;
  for (double const z : slice_positions(common)) {
    double sum = 0;
    for (double const shift : shifts) {
      double const t = std::pow(factor * std::abs(z - shift), power);
      sum += (far * t + near_plane * half_way_power) / (t + half_way_power);
    }
    damping.push_back(sum / static_cast<double>(shifts.size()));
  }
  return damping;
}

std::vector<float> helical_slice_weights(ConeScanParams const& params) {
  auto const& shifts = params.helical_z_shifts;
  if (shifts.empty() || *std::ranges::max_element(shifts) <= *std::ranges::min_element(shifts)) return {};
  GeometryParams const& common = params.common;
  double const half = common.sinogram.num_det_rows * common.delta_det_row / (2 * common.magnification);
  std::vector<float> weights;
  for (double const z : slice_positions(common)) {
    auto const seen = std::ranges::count_if(shifts, [&](double h) { return std::abs(z - h) <= half; });
    weights.push_back(seen > 0 ? static_cast<float>(shifts.size()) / static_cast<float>(seen) : 0.0F);
  }
  return weights;
}

}  // namespace strata
