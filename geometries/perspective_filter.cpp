#include "geometries/perspective_filter.hpp"

#include <cmath>

namespace strata {
namespace {

std::vector<double> distances(int count, double pitch, double offset) {
  std::vector<double> values(count);
  for (int i = 0; i < count; ++i) values[i] = (i - (count - 1) / 2.0) * pitch - offset;
  return values;
}

}  // namespace

std::vector<double> channel_distances(GeometryParams const& params) {
  return distances(params.sinogram.num_det_channels, params.delta_det_channel, params.det_channel_offset);
}

std::vector<double> row_distances(GeometryParams const& params) {
  return distances(params.sinogram.num_det_rows, params.delta_det_row, params.det_row_offset);
}

DirectFilterParams perspective_filter(PerspectiveFilterInput const& input) {
  GeometryParams const& params = input.params;
  double const pitch = params.delta_voxel;
  double const voxel = pitch * pitch * pitch * params.voxel_row_aspect * params.voxel_slice_aspect;
  DirectFilterParams filter;
  filter.scale = params.delta_det_row / (voxel * params.magnification);
  if (std::isinf(input.source_detector_dist)) return filter;
  bool const equal_angles = input.curved && !input.reference_mode;
  if (equal_angles) filter.fan_pitch = params.delta_det_channel / input.source_detector_dist;
  for (double const v : row_distances(params)) {
    double const tan_phi = v / input.source_detector_dist;
    double const cos_phi = 1 / std::hypot(1, tan_phi);
    for (double const u : channel_distances(params)) {
      double const arc = u / input.source_detector_dist;
      double const before = equal_angles ? std::cos(arc) * cos_phi : 1 / std::hypot(1, arc, tan_phi);
      filter.det_weights.push_back(static_cast<float>(before));
      if (input.reference_mode) continue;
      // Back projection divides by the cosines of the ray through the voxel, that is, of the detector entry it reads.
      double const cos_theta = input.curved ? 1 : 1 / std::hypot(1, arc);
      filter.post_weights.push_back(static_cast<float>(cos_theta * cos_phi));
    }
  }
  return filter;
}

}  // namespace strata
