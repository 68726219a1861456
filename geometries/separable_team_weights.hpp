/// GPU teams, geometries that couple slices: the weights between a pixel's slices and detector cells, one at a time.
/// Source: docs/design geometry, section 4.3.
#pragma once

#include "geometries/channel_footprint.hpp"
#include "geometries/separable_line.hpp"

namespace strata::separable_teams {

using separable::RowLine;
using separable::TapLimits;

/// Whole number nearest to x, from above: x may lie far outside the integers.
KOKKOS_FORCEINLINE_FUNCTION int clamped(double x, int low, int high) {
  return x < low ? low : x > high ? high : static_cast<int>(x);
}

/// The part of a channel box that lies at most `radius` channels from the one nearest to its middle.
KOKKOS_FORCEINLINE_FUNCTION ChannelBox limited_box(ChannelBox box, int radius) {
  if (radius == TapLimits::none || box.width <= 2 * static_cast<Real>(radius)) return box;
  Real const right = box.left + box.width;
  Real const nearest = Kokkos::nearbyint(box.left + Real(0.5) * box.width - Real(0.5));
  Real const low = nearest - static_cast<Real>(radius), high = nearest + static_cast<Real>(radius) + 1;
  Real const begin = box.left > low ? box.left : low, end = right < high ? right : high;
  Real const whole = Kokkos::floor(begin);
  return {box.cell + static_cast<int>(whole), begin - whole, end - begin, box.scale};
}

/// One pixel in one view.
struct Entry {
  ChannelBox box;
  RowLine line;
  double inverse_step;  ///< 0 for lines whose slices hardly move
  Range channels;       ///< that the box overlaps
  Range cells;          ///< rows (back projection) or slices (forward projection) that the team's chunk meets
  Index position;       ///< of the cylinder

  KOKKOS_FORCEINLINE_FUNCTION Real channel_weight(int channel) const {
    return box.scale * overlap(box.left, box.width, static_cast<Real>(channel - box.cell));
  }
};

/// Boxes and channels of pixel (row, col); `cells` is left to the caller.
template <class G>
KOKKOS_FORCEINLINE_FUNCTION Entry make_entry(G const& geometry, int view, Real row, Real col) {
  auto const of_view = geometry.view(view);
  ChannelBox const box = limited_box(geometry.rays.box(of_view, row, col), geometry.limits.rows);
  RowLine const line = geometry.rays.line(of_view, row, col);
  double const size = line.step < 0 ? -line.step : line.step;
  int const num_channels = geometry.num_channels;
  bool const seen = box.scale != 0 && box.width > 0;
  double const end = static_cast<double>(box.cell) + Kokkos::ceil(static_cast<double>(box.left + box.width));
  int const first = clamped(box.cell, 0, num_channels), last = clamped(end, 0, num_channels);
  return {
      box,    line, size > separable::steepest_step ? 1 / line.step : 0, {first, seen && last > first ? last : first},
      {0, 0}, 0};
}

/// The box of one slice on the row axis.
struct SliceBox {
  double whole;  ///< cell of its left edge
  Real inside;   ///< from there
  Real width;

  KOKKOS_FORCEINLINE_FUNCTION SliceBox(RowLine const& line, int slice)
      : whole(Kokkos::floor(line.left + line.step * slice)),
        inside(static_cast<Real>(line.left + line.step * slice - whole)),
        width(line.width) {}
  /// Rows in [low, high) that it overlaps.
  KOKKOS_FORCEINLINE_FUNCTION Range rows(int low, int high) const {
    return {clamped(whole, low, high), clamped(whole + Kokkos::ceil(static_cast<double>(inside + width)), low, high)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Real weight(int row) const {
    return overlap(inside, width, static_cast<Real>(row - whole));
  }
  /// Rows from the one nearest to the box's middle.
  KOKKOS_FORCEINLINE_FUNCTION double distance(int row) const {
    double const middle = whole + static_cast<double>(inside) + 0.5 * static_cast<double>(width) - 0.5;
    return Kokkos::abs(row - Kokkos::nearbyint(middle));
  }
};

/// Rows in [0, num_rows) that slices [first, last] of a line may overlap.
KOKKOS_FORCEINLINE_FUNCTION Range rows_of(RowLine const& line, int first, int last, int num_rows) {
  double const a = line.left + line.step * first, b = line.left + line.step * last;
  double const low = a < b ? a : b, high = (a < b ? b : a) + static_cast<double>(line.width);
  return {clamped(Kokkos::floor(low) - 1, 0, num_rows), clamped(Kokkos::ceil(high) + 1, 0, num_rows)};
}

/// Slices in [low, high) that rows [first, last] may meet; all where slices hardly move.
KOKKOS_FORCEINLINE_FUNCTION Range slices_of(Entry const& entry, int first, int last, int low, int high) {
  if (entry.inverse_step == 0) return {low, high};
  double const a = (first - static_cast<double>(entry.line.width) - entry.line.left) * entry.inverse_step;
  double const b = (last + 1 - entry.line.left) * entry.inverse_step;
  return {clamped(Kokkos::floor(a < b ? a : b), low, high), clamped(Kokkos::ceil(a < b ? b : a) + 1, low, high)};
}

/// Whether forward projection drops a (row, slice) that is farther than `limit` slices from what the row sees.
KOKKOS_FORCEINLINE_FUNCTION bool is_cut(RowLine const& line, int row, int slice, int limit) {
  double const seen = (row + 0.5 - 0.5 * static_cast<double>(line.width) - line.left) / line.step;
  return !(Kokkos::abs(slice - Kokkos::nearbyint(seen)) <= limit);
}

/// Whether there is something that is_cut() would drop.
KOKKOS_FORCEINLINE_FUNCTION bool may_be_cut(RowLine const& line, int limit) {
  bool const joined = line.step > 0 && static_cast<Real>(line.step) == line.width;
  return limit != TapLimits::none && (!joined || 1 > 2 * static_cast<Real>(limit) * line.width);
}

}  // namespace strata::separable_teams
