/// Scans by exact line integrals through simple objects: a projector that shares nothing with Strata's own.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "geometries/cone_scan.hpp"
#include "geometries/multiaxis_scan.hpp"
#include "geometries/translation_scan.hpp"

namespace strata::test {

using Vector = std::array<double, 3>;

/// A straight line in the object's coordinates; `along` has length 1.
struct Ray {
  Vector from, along;
};

/// Objects of value 1. Lengths in ALU.
struct Ball {
  Vector centre;
  double radius;
  double chord(Ray const& ray) const;
  bool holds(Vector const& point) const;
};
struct Box {
  Vector low, high;
  double chord(Ray const& ray) const;
  bool holds(Vector const& point) const;
};
/// Endless, along z.
struct Rod {
  double x, y, radius;
  double chord(Ray const& ray) const;
  bool holds(Vector const& point) const;
};

/// The ray of view v to (u, w), channel and row coordinate on the detector in ALU from where the axis projects.
using RayOf = std::function<Ray(int v, double u, double w)>;
RayOf rays_of(ConeScanParams const& scan);
RayOf rays_of(TranslationScanParams const& scan);
RayOf rays_of(MultiAxisScanParams const& scan);  ///< elevations of 0: parallel beams

/// [view][row][channel] means over `fine` x `fine` points of each detector cell.
template <class Object>
std::vector<float> line_integrals(Object const& object, GeometryParams const& params, RayOf const& rays, int fine) {
  auto const [views, rows, channels] = params.sinogram;
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(params.sinogram.size()));
  auto const at = [fine](int cell, int part, int count) { return cell + (part + 0.5) / fine - count / 2.0; };
  for (int v = 0; v < views; ++v)
    for (int m = 0; m < rows; ++m)
      for (int n = 0; n < channels; ++n) {
        double sum = 0;
        for (int i = 0; i < fine * fine; ++i)
          sum += object.chord(rays(v, at(n, i % fine, channels) * params.delta_det_channel - params.det_channel_offset,
                                   at(m, i / fine, rows) * params.delta_det_row - params.det_row_offset));
        values.push_back(static_cast<float>(sum / (fine * fine)));
      }
  return values;
}

/// [row][col][slice] part of each voxel that lies in the object, by `fine`^3 points.
template <class Object>
std::vector<float> voxels(Object const& object, GeometryParams const& params, int fine) {
  auto const [rows, cols, slices] = params.recon;
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(params.recon.size()));
  double const dx = params.delta_voxel, dy = dx * params.voxel_row_aspect, dz = dx * params.voxel_slice_aspect;
  auto const at = [fine](int cell, int part, int count) { return cell + (part + 0.5) / fine - count / 2.0; };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      for (int k = 0; k < slices; ++k) {
        int inside = 0;
        for (int s = 0; s < fine * fine * fine; ++s)
          inside += object.holds({dx * at(j, s % fine, cols), dy * at(i, s / fine % fine, rows),
                                  dz * at(k, s / fine / fine, slices) + params.recon_slice_offset});
        values.push_back(static_cast<float>(inside) / static_cast<float>(fine * fine * fine));
      }
  return values;
}

}  // namespace strata::test
