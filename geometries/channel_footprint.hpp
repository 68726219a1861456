/// Footprints of voxels on the channel axis: the overlap of a box with the detector cells. Shared by all geometries.
///
/// Positions are counted in detector cells: cell n is the interval [n, n + 1). They are kept as a whole cell and a
/// fraction, so that float32 places boxes on a wide detector as well as on a narrow one. The weights of a pixel in a
/// view depend on nothing else, so forward and back projection of any lists are exact adjoints.
#pragma once

#include "core/base/types.hpp"

namespace strata {

/// A box [cell + left, cell + left + width); every detector cell it overlaps gets scale * overlap.
struct ChannelBox {
  int cell;
  Real left;  ///< small
  Real width;
  Real scale;
};

/// a * b + c, rounded once where the machine can do that quickly. Written out, so that every kernel that is compiled
/// from it rounds in the same way.
KOKKOS_FORCEINLINE_FUNCTION Real multiply_add(Real a, Real b, Real c) {
#if defined(__FMA__) || defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// Length of [left, left + width) inside [cell, cell + 1). Conditional values rather than min and max of references:
/// the latter keep the loops around this from being vectorised.
KOKKOS_FORCEINLINE_FUNCTION Real overlap(Real left, Real width, Real cell) {
  Real const right = left + width;
  Real const end = right < cell + 1 ? right : cell + 1;
  Real const begin = left > cell ? left : cell;
  Real const length = end - begin;
  return length > 0 ? length : 0;
}

/// The taps of a footprint that one pass of a kernel handles: taps [begin, begin + NT) of num_taps, of which the first
/// `skip` belong to the pass before and weigh nothing in this one.
struct TapWindow {
  int begin = 0;
  int skip = 0;
};

/// How many taps a footprint has, and how they are cut into windows of `width`.
struct TapShape {
  static constexpr int max_width = 4;

  int num_taps = 1;
  int width = 1;
  int num_windows = 1;

  TapShape() = default;
  /// \param max_box widest box, in cells
  TapShape(double max_box, int num_channels) {
    // A box that exceeds an integer by rounding alone does not get another tap: it would carry less than 1e-6.
    num_taps = static_cast<int>(Kokkos::ceil(max_box * (1 - 1e-6))) + 1;
    if (num_taps > num_channels) num_taps = num_channels;
    width = num_taps < max_width ? num_taps : max_width;
    num_windows = (num_taps + width - 1) / width;
  }

  /// Window `w`; the last is moved back so that it ends with the last tap.
  KOKKOS_FUNCTION TapWindow window(int w) const {
    int const begin = w * width;
    int const shifted = begin + width > num_taps ? num_taps - width : begin;
    return {shifted, begin - shifted};
  }
};

/// Where the taps of a box lie.
struct TapPlace {
  int base;    ///< channel of the first tap of the window
  Real left;   ///< left edge of the box, in [0, 1)
  Real shift;  ///< of the window's first tap from the cell that holds the left edge
};

/// Places one window of the taps of `box`. The first of all taps is moved into [0, num_channels - num_taps].
KOKKOS_FORCEINLINE_FUNCTION TapPlace place_taps(ChannelBox box, int num_channels, int num_taps, int window_begin) {
  Real const whole = Kokkos::floor(box.left);
  int const first = box.cell + static_cast<int>(whole);
  int const limit = num_channels - num_taps;
  int const below = first < limit ? first : limit;
  int const base = (below > 0 ? below : 0) + window_begin;
  return {base, box.left - whole, static_cast<Real>(base - first)};
}

/// Weight of tap `t` of the window: the overlap with the cell that the tap has after it was moved. So cells outside the
/// detector drop out without a branch.
KOKKOS_FORCEINLINE_FUNCTION Real tap_weight(ChannelBox box, TapPlace place, int t, int skip) {
  Real const weight = box.scale * overlap(place.left, box.width, place.shift + static_cast<Real>(t));
  return t < skip ? Real(0) : weight;
}

}  // namespace strata
