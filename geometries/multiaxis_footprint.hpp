/// Ray arithmetic of parallel beams from any direction. Source: docs/design geometry, section 4.2.
#pragma once

#include "geometries/channel_footprint.hpp"
#include "geometries/separable_line.hpp"

namespace strata {

/// Copied by value into kernels.
struct MultiAxisFootprint {
  /// Left edges of the boxes of pixel (0, 0) and slice 0 in channels and rows, and what a column, a row and a slice
  /// add.
  struct View {
    double channel, channel_col, channel_row;
    double row, row_col, row_row, row_slice;
    Real width;      ///< of channel boxes
    Real row_width;  ///< of row boxes
    Real scale;      ///< dx dy dz / (widths on the detector, ALU)
  };

  struct Rays {
    KOKKOS_FORCEINLINE_FUNCTION ChannelBox box(View const& view, Real row, Real col) const {
      double const left =
          view.channel + view.channel_col * static_cast<double>(col) + view.channel_row * static_cast<double>(row);
      double const cell = Kokkos::floor(left);
      return {static_cast<int>(cell), static_cast<Real>(left - cell), view.width, view.scale};
    }

    KOKKOS_FORCEINLINE_FUNCTION separable::RowLine line(View const& view, Real row, Real col) const {
      return {view.row + view.row_col * static_cast<double>(col) + view.row_row * static_cast<double>(row),
              view.row_slice, view.row_width, Real(0)};
    }
  };

  Array1<View const> views;  ///< of this device
  Array1<Real const> flat;   ///< [slice] zeros: rays are parallel
  int num_channels = 0;
  separable::TapLimits limits;
  Rays rays;

  KOKKOS_FORCEINLINE_FUNCTION View view(int v) const { return views(v); }
  KOKKOS_FORCEINLINE_FUNCTION Real const* squared_heights(int) const { return flat.data(); }
};

}  // namespace strata
