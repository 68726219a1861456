#include "geometries/separable_chunk.hpp"

#include <cmath>

namespace strata::separable {

void limit_boxes(int radius, int count, ChunkBoxes const& boxes) {
  for (int p = 0; p < count; ++p) {
    if (boxes.width[p] <= 2 * static_cast<Real>(radius)) continue;
    Real const left = boxes.left[p], right = left + boxes.width[p];
    Real const nearest = std::rint(left + Real(0.5) * boxes.width[p] - Real(0.5));
    Real const low = nearest - static_cast<Real>(radius), high = nearest + static_cast<Real>(radius) + 1;
    Real const begin = left > low ? left : low, end = right < high ? right : high;
    Real const whole = std::floor(begin);
    boxes.cell[p] += static_cast<int>(whole);
    boxes.left[p] = begin - whole;
    boxes.width[p] = end - begin;
  }
}

void find_reach(CylinderShape const& shape, bool to_slices, int count, ChunkBoxes const& boxes,
                ChunkReach const& reach) {
  double const* __restrict const left = boxes.row_left;
  double const* __restrict const step = boxes.row_step;
  Real const* __restrict const width = boxes.row_width;
  int* __restrict const begin = reach.begin;
  int* __restrict const end = reach.end;
  double const rows = shape.num_rows, slices = shape.num_slices;
  double const last = vectors_of(to_slices ? shape.num_slices : shape.num_rows);
  // Rows reach from the first edge of the cylinder to its last one; slices where their boxes meet rows.
  double const by_slices = to_slices ? 1 : 0;
#pragma omp simd
  for (int p = 0; p < count; ++p) {
    double const full = static_cast<double>(width[p]), at = step[p];
    double const size = at < 0 ? -at : at;
    double const first_row = left[p] + (at < 0 ? (slices - 1) * at : 0.0);
    double const last_row = first_row + (slices - 1) * size + full;
    double const near = at < 0 ? rows - left[p] : -full - left[p], far = at < 0 ? -full - left[p] : rows - left[p];
    // Slices that do not move lie all on rows or none of them does.
    double const inverse = 1 / (size > 1e-9 ? at : 1.0);
    double const first_slice = size > 1e-9 ? near * inverse : 0.0;
    double const last_slice = size > 1e-9 ? far * inverse : (near * far < 0 ? slices : -slices);
    double const from = first_row + by_slices * (first_slice - first_row);
    double const to = last_row + by_slices * (last_slice - last_row);
    double const low = Kokkos::floor((from - 1) / FanVector::width), high = Kokkos::ceil((to + 2) / FanVector::width);
    double const low_part = low < last ? low : last, high_part = high < last ? high : last;
    begin[p] = static_cast<int>(low_part > 0 ? low_part : 0.0);
    end[p] = static_cast<int>(high_part > 0 ? high_part : 0.0);
  }
}

TapShape tap_shape(int count, int num_channels, ChunkBoxes const& boxes) {
  Real farthest = 0;
  Real const* __restrict const left = boxes.left;
  Real const* __restrict const width = boxes.width;
#pragma omp simd reduction(max : farthest)
  for (int p = 0; p < count; ++p) {
    Real const right = left[p] + width[p];
    farthest = right > farthest ? right : farthest;
  }
  double const most = std::ceil(farthest < num_channels ? farthest : Real(num_channels));
  return TapShape(most > 1 ? most - 1 : 0, num_channels);
}

namespace {

/// Weight of a tap: see tap_weight(). Arguments by value keep the loop over it vectorised.
KOKKOS_FORCEINLINE_FUNCTION Real weight_of(Real left, Real width, Real scale, Real tap) {
  return scale * overlap(left, width, tap);
}

}  // namespace

void place_chunk(int count, int num_channels, TapShape const& shape, int window, int power, ChunkBoxes const& boxes,
                 ChunkTaps const& taps) {
  TapWindow const part = shape.window(window);
  int const* __restrict const cell = boxes.cell;
  Real const* __restrict const left = boxes.left;
  Real const* __restrict const width = boxes.width;
  Real const* __restrict const scale = boxes.scale;
  Real const* __restrict const row_width = boxes.row_width;
  int* __restrict const base = taps.base;
  int const limit = num_channels - shape.num_taps, begin = part.begin;
#pragma omp simd
  for (int p = 0; p < count; ++p) {  // as place_taps()
    int const below = cell[p] < limit ? cell[p] : limit;
    base[p] = (below > 0 ? below : 0) + begin;
  }
  for (int t = 0; t < shape.width; ++t) {
    Real* __restrict const weight = taps.weight + t * taps.stride;
    Real const used = t < part.skip ? Real(0) : Real(1);
#pragma omp simd
    for (int p = 0; p < count; ++p)
      weight[p] = weight_of(left[p], width[p], scale[p] * used, static_cast<Real>(base[p] + t - cell[p]));
    if (power > 0) {
#pragma omp simd
      for (int p = 0; p < count; ++p) weight[p] *= row_width[p];
    }
    if (power > 1) {
#pragma omp simd
      for (int p = 0; p < count; ++p) weight[p] *= weight[p];
    }
  }
}

Range channels_of(int count, TapShape const& shape, int const* base) {
  int low = base[0], high = base[0];
#pragma omp simd reduction(min : low) reduction(max : high)
  for (int p = 0; p < count; ++p) {
    low = base[p] < low ? base[p] : low;
    high = base[p] > high ? base[p] : high;
  }
  return {low, high + shape.width};
}

void sort_pixels(int count, TapShape const& shape, int const* base, int* counts, std::uint8_t* order) {
  Range const channels = channels_of(count, shape, base);
  int const low = channels.begin, high = channels.end - shape.width;
  for (int n = low; n <= high + 1; ++n) counts[n] = 0;
  for (int p = 0; p < count; ++p) ++counts[base[p] + 1];
  for (int n = low; n < high; ++n) counts[n + 1] += counts[n];
  for (int p = 0; p < count; ++p) order[counts[base[p]]++] = static_cast<std::uint8_t>(p);
}

}  // namespace strata::separable
