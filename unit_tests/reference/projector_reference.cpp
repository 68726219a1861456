#include "unit_tests/reference/projector_reference.hpp"

#include <algorithm>
#include <cmath>

namespace strata::reference {

double trapezoid(double distance, double width) {
  return std::clamp((width + 1) / 2 - std::abs(distance), 0.0, std::min(1.0, width));
}

double parallel_entry(ParallelBeamParams const& params, int view, int channel, int row, int col) {
  double const dx = params.delta_voxel, dy = params.voxel_row_aspect * params.delta_voxel;
  double const c = std::cos(params.angles[view]), s = std::sin(params.angles[view]);
  double const x =
      c * dx * (col - (params.recon.num_cols - 1) / 2.0) - s * dy * (row - (params.recon.num_rows - 1) / 2.0);
  double const position =
      (x + params.det_channel_offset) / params.delta_det_channel + (params.sinogram.num_det_channels - 1) / 2.0;
  double const length = std::max(std::abs(c) * dx, std::abs(s) * dy);
  return dx * dy / length * trapezoid(position - channel, length / params.delta_det_channel);
}

std::vector<double> forward_project(ParallelBeamParams const& params, std::vector<int> const& pixels,
                                    std::vector<double> const& cylinders) {
  auto const [views, rows, channels] = params.sinogram;
  std::vector<double> sino(static_cast<std::size_t>(params.sinogram.size()), 0.0);
  for (int v = 0; v < views; ++v)
    for (std::size_t t = 0; t < pixels.size(); ++t)
      for (int n = 0; n < channels; ++n) {
        int const cols = params.recon.num_cols;
        double const a = parallel_entry(params, v, n, pixels[t] / cols, pixels[t] % cols);
        if (a == 0) continue;
        for (int m = 0; m < rows; ++m)
          sino[(static_cast<std::size_t>(v) * rows + m) * channels + n] += a * cylinders[t * rows + m];
      }
  return sino;
}

std::vector<double> back_project(ParallelBeamParams const& params, std::vector<int> const& pixels,
                                 std::vector<double> const& sino, int power) {
  auto const [views, rows, channels] = params.sinogram;
  std::vector<double> cylinders(pixels.size() * rows, 0.0);
  for (int v = 0; v < views; ++v)
    for (std::size_t t = 0; t < pixels.size(); ++t)
      for (int n = 0; n < channels; ++n) {
        int const cols = params.recon.num_cols;
        double const a = std::pow(parallel_entry(params, v, n, pixels[t] / cols, pixels[t] % cols), power);
        if (a == 0) continue;
        for (int m = 0; m < rows; ++m)
          cylinders[t * rows + m] += a * sino[(static_cast<std::size_t>(v) * rows + m) * channels + n];
      }
  return cylinders;
}

}  // namespace strata::reference
