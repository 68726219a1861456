/// Ray arithmetic of cone beams. Source: docs/design geometry, section 4.3; curved detectors by default with the
/// distance of the voxel from the source in place of its depth, see geometry_surprises 2.
#pragma once

#include "geometries/channel_footprint.hpp"
#include "geometries/separable_line.hpp"

namespace strata {

/// Arc tangent to 1e-10, without branches: loops over it are vectorised.
KOKKOS_FORCEINLINE_FUNCTION double arc_tangent(double tangent) {
  double const size = tangent < 0 ? -tangent : tangent;
  double const inverted = size > 1 ? 1 / size : size;  // in [0, 1]
  bool const upper = inverted > 0.41421356237309503;
  double const y = upper ? (inverted - 1) / (inverted + 1) : inverted;  // at most tan(pi / 8)
  double const z = y * y;
  double sum = 1.0 / 25;
  for (int n = 23; n >= 1; n -= 2) sum = 1.0 / n - z * sum;
  double const part = y * sum + (upper ? Kokkos::numbers::pi / 4 : 0.0);
  double const angle = size > 1 ? Kokkos::numbers::pi / 2 - part : part;
  return tangent < 0 ? -angle : angle;
}

/// Copied by value into kernels. x is counted in channels, depth in source_detector_dist.
template <bool curved>
struct ConeFootprint {
  struct View {
    double x, x_col, x_row;              ///< of pixel (0, 0), step per column and per row
    double depth, depth_col, depth_row;  ///< distance from the source along the central ray, likewise
    double z;                            ///< of slice 0, in detector rows at the axis' magnification 1
    Real cos_dx, sin_dx, sin_dy, cos_dy;
  };

  /// What is the same for all views; no Views inside, so that tasks copy it for nothing.
  struct Rays {
    double middle_channel = 0, middle_row = 0;  ///< where the central ray hits
    double tangent_per_channel = 0;
    double channels_per_angle = 0;  ///< curved detectors
    double slice_step = 0;          ///< dz in detector rows
    double nearest = 0;             ///< depth; pixels before it are dropped
    Real channels_per_length = 0;
    Real area = 0;         ///< dx dy
    Real rise = 0;         ///< (dz / source_detector_dist)^2
    Real by_distance = 1;  ///< curved detectors: 1: magnified by the distance from the source, 0: by the depth

    KOKKOS_FORCEINLINE_FUNCTION static double along(double at, double per_col, double per_row, Real row, Real col) {
      return at + per_col * static_cast<double>(col) + per_row * static_cast<double>(row);
    }

    KOKKOS_FORCEINLINE_FUNCTION ChannelBox box(View const& view, Real row, Real col) const {
      double const depth = along(view.depth, view.depth_col, view.depth_row, row, col);
      double const g = depth > nearest ? 1 / depth : 0;
      double const u = along(view.x, view.x_col, view.x_row, row, col) * g;
      double const tangent = u * tangent_per_channel;
      Real const t = static_cast<Real>(tangent);
      Real const along_x = view.cos_dx + view.sin_dx * t, along_y = view.sin_dy - view.cos_dy * t;
      Real const size_x = along_x < 0 ? -along_x : along_x, size_y = along_y < 0 ? -along_y : along_y;
      Real const longest = size_x > size_y ? size_x : size_y;  // L / cos(theta)
      Real const secant = Kokkos::sqrt(1 + t * t);
      Real width = static_cast<Real>(g) * longest * channels_per_length;
      double centre = u;
      if constexpr (curved) {
        width = width / (secant * Kokkos::sqrt(1 + by_distance * t * t));
        centre = channels_per_angle * arc_tangent(tangent);
      }
      double const left = centre + middle_channel - 0.5 * static_cast<double>(width);
      double const cell = Kokkos::floor(left);
      return {static_cast<int>(cell), static_cast<Real>(left - cell), width,
              depth > nearest ? area * secant / longest : Real(0)};
    }

    KOKKOS_FORCEINLINE_FUNCTION separable::RowLine line(View const& view, Real row, Real col) const {
      double const depth = along(view.depth, view.depth_col, view.depth_row, row, col);
      double g = depth > nearest ? 1 / depth : 0;
      if constexpr (curved) {
        double const tangent = along(view.x, view.x_col, view.x_row, row, col) * g * tangent_per_channel;
        g = g / Kokkos::sqrt(1 + static_cast<double>(by_distance) * tangent * tangent);
      }
      double const step = g * slice_step;
      Real const magnification = static_cast<Real>(g);
      return {g * view.z + middle_row - 0.5 * step, step, static_cast<Real>(step),
              magnification * magnification * rise};
    }
  };

  Array1<View const> views;    ///< of this device
  Array2<Real const> heights;  ///< [view or 1][slice]
  int height_stride = 0;       ///< 0: all views alike
  int num_channels = 0;
  separable::TapLimits limits;
  Rays rays;

  KOKKOS_FORCEINLINE_FUNCTION View view(int v) const { return views(v); }
  KOKKOS_FORCEINLINE_FUNCTION Real const* squared_heights(int v) const {
    return heights.data() + Index(v) * height_stride;
  }
};

}  // namespace strata
