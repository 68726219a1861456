/// Geometries that couple slices as plain loops in double, straight from the formulas of docs/design geometry, section
/// 4. Slow and simple: the oracle of the kernels.
#pragma once

#include <vector>

#include "geometries/separable_beam.hpp"

namespace strata::reference {

/// One pixel in one view: Horz[n] = scale * overlap(box of `width` about `channel`, cell n), and
/// Vert[k][m] = row_scale * secant(k) * overlap(box of `row_width` about row + row_step * k, cell m).
struct PixelRays {
  double channel, width, scale;
  double row, row_step, row_width, row_scale;
  double tangent, tangent_step;  ///< tan(phi) of slice 0, and per slice
};

PixelRays rays_of(ConeBeamParams const& params, int view, int row, int col);
PixelRays rays_of(TranslationParams const& params, int view, int row, int col);
PixelRays rays_of(MultiAxisParams const& params, int view, int row, int col);

/// Horz [channel] and Vert [slice][row].
std::vector<double> channel_weights(PixelRays const& rays, int num_channels);
std::vector<double> row_weights(PixelRays const& rays, int num_slices, int num_rows);

/// sino [view][row][channel] = A x, x being [entry][slice] at `pixels` and zero elsewhere.
template <class Params>
std::vector<double> forward_project(Params const& params, std::vector<int> const& pixels,
                                    std::vector<double> const& cylinders) {
  auto const [views, rows, channels] = params.sinogram;
  int const slices = params.recon.num_slices, cols = params.recon.num_cols;
  std::vector<double> sino(static_cast<std::size_t>(params.sinogram.size()), 0.0);
  for (int v = 0; v < views; ++v)
    for (std::size_t t = 0; t < pixels.size(); ++t) {
      PixelRays const rays = rays_of(params, v, pixels[t] / cols, pixels[t] % cols);
      auto const horz = channel_weights(rays, channels);
      auto const vert = row_weights(rays, slices, rows);
      for (int m = 0; m < rows; ++m) {
        double sum = 0;
        for (int k = 0; k < slices; ++k) sum += vert[k * rows + m] * cylinders[t * slices + k];
        for (int n = 0; n < channels; ++n)
          sino[(static_cast<std::size_t>(v) * rows + m) * channels + n] += horz[n] * sum;
      }
    }
  return sino;
}

/// [entry][slice]: A'y (power 1) or (A o A)'y (power 2) at `pixels`.
template <class Params>
std::vector<double> back_project(Params const& params, std::vector<int> const& pixels, std::vector<double> const& sino,
                                 int power) {
  auto const [views, rows, channels] = params.sinogram;
  int const slices = params.recon.num_slices, cols = params.recon.num_cols;
  std::vector<double> cylinders(pixels.size() * slices, 0.0);
  for (int v = 0; v < views; ++v)
    for (std::size_t t = 0; t < pixels.size(); ++t) {
      PixelRays const rays = rays_of(params, v, pixels[t] / cols, pixels[t] % cols);
      auto const horz = channel_weights(rays, channels);
      auto const vert = row_weights(rays, slices, rows);
      for (int m = 0; m < rows; ++m) {
        double sum = 0;
        for (int n = 0; n < channels; ++n)
          sum += (power == 2 ? horz[n] * horz[n] : horz[n]) *
                 sino[(static_cast<std::size_t>(v) * rows + m) * channels + n];
        for (int k = 0; k < slices; ++k) {
          double const w = vert[k * rows + m];
          cylinders[t * slices + k] += (power == 2 ? w * w : w) * sum;
        }
      }
    }
  return cylinders;
}

}  // namespace strata::reference
