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

namespace {

/// Seen from the rows of forward projection: boxes on the axis of slices that hold all slices which meet a row. Those
/// of lines whose slices do not move are not used.
KOKKOS_FORCEINLINE_FUNCTION void write_row_box(double left, double step, Real full, double* __restrict fan_left,
                                               double* __restrict fan_step, Real* __restrict fan_width) {
  bool const joined = step > 0 && static_cast<Real>(step) == full;
  double const size = step < 0 ? -step : step, height = joined ? 0.0 : static_cast<double>(full);
  double const inverse = 1 / (size > steepest_step ? step : 1.0);
  double const length = joined ? 1.0 : 1 + height;
  *fan_left = (step < 0 ? 1 - left : -height - left) * inverse;
  *fan_step = inverse;
  *fan_width = static_cast<Real>(length * (inverse < 0 ? -inverse : inverse));
}

void find_row_boxes(int count, ChunkBoxes const& boxes, ChunkFans const& fans) {
  double const* __restrict const left = boxes.row_left;
  double const* __restrict const step = boxes.row_step;
  Real const* __restrict const width = boxes.row_width;
  double* __restrict const fan_left = fans.left;
  double* __restrict const fan_step = fans.step;
  Real* __restrict const fan_width = fans.width;
#pragma omp simd
  for (int p = 0; p < count; ++p) write_row_box(left[p], step[p], width[p], fan_left + p, fan_step + p, fan_width + p);
}

/// Vectors of boxes that meet cells.
void find_reach(CylinderShape const& shape, bool to_slices, Range wanted, int count, ChunkBoxes const& boxes,
                ChunkFans const& fans) {
  double const* __restrict const left = boxes.row_left;
  double const* __restrict const step = boxes.row_step;
  Real const* __restrict const width = boxes.row_width;
  int* __restrict const begin = fans.begin;
  int* __restrict const end = fans.end;
  double const rows = shape.num_rows, slices = shape.num_slices;
  double const least = wanted.begin, most = wanted.end;
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
    double const low_part = low < most ? low : most, high_part = high < most ? high : most;
    begin[p] = static_cast<int>(low_part > least ? low_part : least);
    end[p] = static_cast<int>(high_part > least ? high_part : least);
  }
}

/// Vectors of cells from which the boxes of the reach are read: all that a fan may pick.
void find_cells(int num_cells, int count, ChunkFans const& fans) {
  double const* __restrict const left = fans.left;
  double const* __restrict const step = fans.step;
  Real const* __restrict const width = fans.width;
  int const* __restrict const begin = fans.begin;
  int const* __restrict const end = fans.end;
  int* __restrict const cells_begin = fans.cells_begin;
  int* __restrict const cells_end = fans.cells_end;
  double const all = vectors_of(num_cells);
#pragma omp simd
  for (int p = 0; p < count; ++p) {
    double const a = left[p] + step[p] * (FanVector::width * begin[p]);
    double const b = left[p] + step[p] * (FanVector::width * end[p] - 1);
    double const first = (a < b ? a : b) - 2, last = (a < b ? b : a) + static_cast<double>(width[p]) + 5;
    double const low = Kokkos::floor(first / FanVector::width), high = Kokkos::ceil(last / FanVector::width);
    double const low_part = low < all ? low : all, high_part = high < all ? high : all;
    cells_begin[p] = static_cast<int>(low_part > 0 ? low_part : 0.0);
    cells_end[p] = static_cast<int>(high_part > 0 ? high_part : 0.0);
  }
}

/// Boxes of back projection are those of the lines.
ChunkFans fans_of_slices(ChunkBoxes const& boxes, ChunkFans fans) {
  fans.left = boxes.row_left;
  fans.step = boxes.row_step;
  fans.width = boxes.row_width;
  return fans;
}

/// Whether each line's slices join, as boxes of rows on slices need it.
bool all_join(int count, ChunkBoxes const& boxes) {
  double const* __restrict const step = boxes.row_step;
  Real const* __restrict const width = boxes.row_width;
  int apart = 0;
#pragma omp simd reduction(+ : apart)
  for (int p = 0; p < count; ++p) apart += step[p] > 0 && static_cast<Real>(step[p]) == width[p] ? 0 : 1;
  return apart == 0;
}

/// \param inverse_width known already, or null
void place_thin_boxes(int num_cells, int count, Real const* __restrict inverse_width, ChunkFans const& fans) {
  double const* __restrict const left = fans.left;
  double const* __restrict const step = fans.step;
  Real const* __restrict const width = fans.width;
  int* __restrict const base = fans.base;
  Real* __restrict const fraction = fans.fraction;
  Real* __restrict const inverse = fans.inverse;
  double const most = num_cells, least = -guard;
#pragma omp simd
  for (int p = 0; p < count; ++p) {
    double const at = left[p] + (step[p] < 0 ? (FanVector::width - 1) * step[p] : 0.0);
    double const whole = Kokkos::floor(at), below = whole < most ? whole : most;
    base[p] = static_cast<int>(below > least ? below : least);
    fraction[p] = static_cast<Real>(at - whole);
  }
#pragma omp simd
  for (int p = 0; p < count; ++p) inverse[p] = inverse_width ? inverse_width[p] : 1 / width[p];
}

}  // namespace

ThinTaps find_thin_fans(CylinderShape const& shape, bool to_slices, int count, ChunkBoxes const& boxes,
                        ChunkFans const& fans) {
  bool const thin = shape.num_slices <= FanVector::width && shape.num_rows <= FanVector::width;
  if (!thin || shape.limits.rows != TapLimits::none || shape.limits.slices != TapLimits::none) return ThinTaps::none;
  if (!to_slices && !all_join(count, boxes)) return ThinTaps::none;
  if (!to_slices) find_row_boxes(count, boxes, fans);
  ChunkFans const used = to_slices ? fans_of_slices(boxes, fans) : fans;
  Real const* __restrict const width = used.width;
  Real widest = 0;
#pragma omp simd reduction(max : widest)
  for (int p = 0; p < count; ++p) widest = width[p] > widest ? width[p] : widest;
  if (!(widest <= 2)) return ThinTaps::none;
  place_thin_boxes(to_slices ? shape.num_rows : shape.num_slices, count, to_slices ? nullptr : boxes.row_width, used);
  return widest <= 1 ? ThinTaps::two : ThinTaps::three;
}

void find_fans(CylinderShape const& shape, bool to_slices, Range wanted, int count, ChunkBoxes const& boxes,
               ChunkFans const& fans) {
  find_reach(shape, to_slices, wanted, count, boxes, fans);
  if (!to_slices) find_row_boxes(count, boxes, fans);
  if (to_slices)
    find_cells(shape, count, boxes, fans);
  else
    find_cells(shape.num_slices, count, fans);
}

void find_cells(CylinderShape const& shape, int count, ChunkBoxes const& boxes, ChunkFans const& fans) {
  find_cells(shape.num_rows, count, fans_of_slices(boxes, fans));
}

ChunkPath find_path(CylinderShape const& shape, int count, ChunkBoxes const& boxes, ChunkFans const& fans) {
  if (shape.limits.rows != TapLimits::none) return {};
  double const* __restrict const step = boxes.row_step;
  Real const* __restrict const width = boxes.row_width;
  Real* __restrict const inverse = fans.inverse;
  Real widest = 0, narrowest = 1;
  double steepest = 0;
#pragma omp simd reduction(max : widest, steepest) reduction(min : narrowest)
  for (int p = 0; p < count; ++p) {
    double const size = step[p] < 0 ? -step[p] : step[p];
    widest = width[p] > widest ? width[p] : widest;
    narrowest = width[p] < narrowest ? width[p] : narrowest;
    steepest = size > steepest ? size : steepest;
    inverse[p] = 1 / width[p];
  }
  // Also chunks of two taps must do with three: see back_pair().
  if (fan_path(2, steepest) == FanPath::wide) return {};
  return {fan_path(widest, steepest), narrowest >= 1};
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
