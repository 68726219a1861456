/// Footprints of a chunk of pixels in one view. Host only.
#pragma once

#include "geometries/channel_footprint.hpp"
#include "geometries/separable_fan.hpp"

namespace strata::separable {

/// Boxes and row lines of some pixels, array by array so that they are found by vectors. Found by one function for all
/// kernels: forward and back projection are adjoints to the last bit of every weight.
struct ChunkBoxes {
  int* cell;  ///< channel box: see ChannelBox
  Real *left, *width, *scale;
  double *row_left, *row_step;  ///< row line: see RowLine
  Real *row_width, *rise;
};

/// How the lines' boxes lie on cells. Back projection: boxes of slices on rows; forward projection: of rows on slices,
/// box i being [left + step * i, left + step * i + width).
struct ChunkFans {
  double *left, *step;
  Real* width;
  int *begin, *end;              ///< vectors of boxes that meet cells
  int *cells_begin, *cells_end;  ///< vectors of cells that these are read from
  int* base;                     ///< lines of one vector: cell of box 0
  Real *fraction, *inverse;  ///< its distance from the cell's left edge, and 1 / width; inverse: see find_path() too
};

/// How a chunk is handled whose cylinders and rows are one vector each: not so, or with so many taps per box.
enum class ThinTaps { none, two, three };

/// How all boxes of a chunk can be handled alike.
struct ChunkPath {
  FanPath taps = FanPath::wide;  ///< wide: they cannot
  bool beyond_cell = false;      ///< no box is narrower than a cell
};

/// Taps of one window: base[pixel], weight[tap * stride + pixel].
struct ChunkTaps {
  int* base;
  Real* weight;
  int stride;
};

/// Memory for all, N pixels.
template <int N>
struct ChunkMemory {
  alignas(64) int cell[N];
  alignas(64) Real left[N], width[N], scale[N], row_width[N], rise[N];
  alignas(64) double row_left[N], row_step[N];
  alignas(64) double fan_left[N], fan_step[N];
  alignas(64) Real fan_width[N], fan_fraction[N], fan_inverse[N];
  alignas(64) int base[N], reach_begin[N], reach_end[N], cells_begin[N], cells_end[N], fan_base[N];
  alignas(64) Real weight[max_taps * N];
  TapShape shape;
  ThinTaps thin = ThinTaps::none;
  ChunkPath path;  ///< of back projection

  ChunkBoxes boxes() { return {cell, left, width, scale, row_left, row_step, row_width, rise}; }
  ChunkFans fans() {
    return {fan_left,    fan_step,  fan_width, reach_begin,  reach_end,
            cells_begin, cells_end, fan_base,  fan_fraction, fan_inverse};
  }
  Range reach(int p) const { return {reach_begin[p], reach_end[p]}; }
  Range cells(int p) const { return {cells_begin[p], cells_end[p]}; }
  ChunkTaps taps() { return {base, weight, N}; }
  RowLine line(int p) const { return {row_left[p], row_step[p], row_width[p], rise[p]}; }
};

KOKKOS_FORCEINLINE_FUNCTION void write_box(ChannelBox box, int* __restrict cell, Real* __restrict left,
                                           Real* __restrict width, Real* __restrict scale) {
  *cell = box.cell;
  *left = box.left;
  *width = box.width;
  *scale = box.scale;
}

KOKKOS_FORCEINLINE_FUNCTION void write_line(RowLine line, double* __restrict left, double* __restrict step,
                                            Real* __restrict width, Real* __restrict rise) {
  *left = line.left;
  *step = line.step;
  *width = line.width;
  *rise = line.rise;
}

/// Boxes of pixels (row[p], col[p]) in view `v`. Two loops, for fewer registers.
template <class G>
[[gnu::noinline]] void find_boxes(G const& geometry, int v, Real const* __restrict row, Real const* __restrict col,
                                  int count, ChunkBoxes const& boxes) {
  auto const view = geometry.view(v);
  ChunkBoxes const to = boxes;
  auto const rays = geometry.rays;
#pragma omp simd
  for (int p = 0; p < count; ++p)
    write_box(rays.box(view, row[p], col[p]), to.cell + p, to.left + p, to.width + p, to.scale + p);
#pragma omp simd
  for (int p = 0; p < count; ++p)
    write_line(rays.line(view, row[p], col[p]), to.row_left + p, to.row_step + p, to.row_width + p, to.rise + p);
}

/// Cuts channel boxes off at `radius` channels from the one nearest to their middle.
void limit_boxes(int radius, int count, ChunkBoxes const& boxes);

/// Fills the fans of lines of one vector, which have neither reach nor cells, or tells that they are not for
/// separable_thin.hpp. `to_slices`: for back projection.
ThinTaps find_thin_fans(CylinderShape const& shape, bool to_slices, int count, ChunkBoxes const& boxes,
                        ChunkFans const& fans);

/// Fills the fans but for what lines of one vector have. \param wanted vectors of boxes
void find_fans(CylinderShape const& shape, bool to_slices, Range wanted, int count, ChunkBoxes const& boxes,
               ChunkFans const& fans);

/// For boxes of slices on rows. Fills fans.inverse.
ChunkPath find_path(CylinderShape const& shape, int count, ChunkBoxes const& boxes, ChunkFans const& fans);

/// The part of find_fans() that follows from the reach, for boxes of slices on rows.
void find_cells(CylinderShape const& shape, int count, ChunkBoxes const& boxes, ChunkFans const& fans);

/// How many taps the chunk's boxes have.
TapShape tap_shape(int count, int num_channels, ChunkBoxes const& boxes);

/// Places the taps of one window. \param power 0: for forward projection; 1, 2: for back projection, weights times the
/// width of the row box, to this power.
void place_chunk(int count, int num_channels, TapShape const& shape, int window, int power, ChunkBoxes const& boxes,
                 ChunkTaps const& taps);

/// Boxes, fans and the taps of the first window. \param wanted, \param power see find_fans(), place_chunk()
template <class G, int N>
void prepare_chunk(G const& geometry, CylinderShape const& shape, int v, Real const* row, Real const* col, int count,
                   Range wanted, int power, ChunkMemory<N>& chunk) {
  auto const boxes = chunk.boxes();
  find_boxes(geometry, v, row, col, count, boxes);
  if (geometry.limits.rows != TapLimits::none) limit_boxes(geometry.limits.rows, count, boxes);
  chunk.thin = find_thin_fans(shape, power > 0, count, boxes, chunk.fans());
  if (chunk.thin == ThinTaps::none) find_fans(shape, power > 0, wanted, count, boxes, chunk.fans());
  chunk.shape = tap_shape(count, geometry.num_channels, boxes);
  place_chunk(count, geometry.num_channels, chunk.shape, 0, power, boxes, chunk.taps());
  bool const alike = power == 1 && chunk.thin == ThinTaps::none;
  chunk.path = alike ? find_path(shape, count, boxes, chunk.fans()) : ChunkPath();
}

/// Channels that the taps touch.
Range channels_of(int count, TapShape const& shape, int const* base);

/// order[i] = pixels by their first channel; those of a channel keep their order. `counts` has room for all channels
/// and one more.
void sort_pixels(int count, TapShape const& shape, int const* base, int* counts, std::uint8_t* order);

}  // namespace strata::separable
