/// Ray arithmetic of cone beams on a translated object. Source: docs/design geometry, section 4.4.
#pragma once

#include "geometries/channel_footprint.hpp"
#include "geometries/separable_line.hpp"

namespace strata {

/// Copied by value into kernels. x is counted in channels, depth in source_detector_dist.
struct TranslationFootprint {
  struct View {
    double x;      ///< of column 0
    double depth;  ///< of row 0: distance from the source along the central ray
    double z;      ///< of slice 0, in detector rows at magnification 1
  };

  /// What is the same for all views; no Views inside, so that tasks copy it for nothing.
  struct Rays {
    double x_col = 0, depth_row = 0;            ///< steps
    double middle_channel = 0, middle_row = 0;  ///< where the central ray hits
    double tangent_per_channel = 0;
    double slice_step = 0;  ///< dz in detector rows
    double nearest = 0;     ///< depth; pixels before it are dropped
    Real col_width = 0;     ///< dx in channels
    Real row_length = 0;    ///< dy
    Real rise = 0;          ///< (dz / source_detector_dist)^2

    KOKKOS_FORCEINLINE_FUNCTION double magnification(View const& view, Real row) const {
      double const depth = view.depth + depth_row * static_cast<double>(row);
      return depth > nearest ? 1 / depth : 0;
    }

    KOKKOS_FORCEINLINE_FUNCTION ChannelBox box(View const& view, Real row, Real col) const {
      double const g = magnification(view, row);
      double const u = (view.x + x_col * static_cast<double>(col)) * g;
      Real const t = static_cast<Real>(u * tangent_per_channel), width = static_cast<Real>(g) * col_width;
      double const left = u + middle_channel - 0.5 * static_cast<double>(width);
      double const cell = Kokkos::floor(left);
      return {static_cast<int>(cell), static_cast<Real>(left - cell), width,
              g > 0 ? row_length * Kokkos::sqrt(1 + t * t) : Real(0)};
    }

    KOKKOS_FORCEINLINE_FUNCTION separable::RowLine line(View const& view, Real row, Real) const {
      double const g = magnification(view, row), step = g * slice_step;
      Real const size = static_cast<Real>(g);
      return {g * view.z + middle_row - 0.5 * step, step, static_cast<Real>(step), size * size * rise};
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
