/// Host tiles, part 1: the taps of a chunk of pixels in one view, and the arrays that the kernels work on.
#pragma once

#include "core/base/types.hpp"
#include "core/model/pixel_list.hpp"
#include "geometries/channel_footprint.hpp"

namespace strata::host_tiles {

/// Pixels that a tile handles together: in Z order of a dense list a square of 16 x 16.
constexpr int chunk_size = 256;

/// A pixel list by plain pointers: Views in closures cost reference counts in every task.
struct Pixels {
  int const* position;  ///< of entry t in [block][position][lane]; null: t itself
  Real const* row;
  Real const* col;
  int size;

  Pixels(PixelList const& list, Position where)
      : position(where == Position::by_pixel ? list.index.data() : nullptr),
        row(list.row.data()),
        col(list.col.data()),
        size(list.size()) {}
  int num_chunks() const { return (size + chunk_size - 1) / chunk_size; }
  int count(int chunk) const { return size - chunk * chunk_size < chunk_size ? size - chunk * chunk_size : chunk_size; }
};

/// Taps of the pixels of one chunk: first channel [pixel], weights [tap][pixel].
template <int NT>
struct ChunkTaps {
  alignas(64) int base[chunk_size];
  alignas(64) Real weight[NT][chunk_size];
};

/// Writes one pixel's taps. A function of its own: structures declared inside a vectorised loop would be kept in
/// memory.
template <int NT>
KOKKOS_FORCEINLINE_FUNCTION void write_taps(ChannelBox box, int num_channels, int num_taps, TapWindow window,
                                            int* __restrict base, Real* __restrict weight) {
  TapPlace const place = place_taps(box, num_channels, num_taps, window.begin);
  *base = place.base;
  weight[0] = tap_weight(box, place, 0, window.skip);
  if constexpr (NT > 1) weight[chunk_size] = tap_weight(box, place, 1, window.skip);
  if constexpr (NT > 2) weight[2 * chunk_size] = tap_weight(box, place, 2, window.skip);
  if constexpr (NT > 3) weight[3 * chunk_size] = tap_weight(box, place, 3, window.skip);
}

/// Taps of pixels [first, first + count) of the list in view `v`. Vectorised over pixels.
template <int NT, class G>
void prepare_taps(G const& geometry, int v, Pixels const& pixels, int first, int count, TapWindow window, bool squared,
                  ChunkTaps<NT>& taps) {
  Real const* __restrict const row = pixels.row + first;
  Real const* __restrict const col = pixels.col + first;
  int* __restrict const base = taps.base;
  Real* __restrict const weight = taps.weight[0];
  auto const view = geometry.view(v);
  int const num_channels = geometry.num_channels, num_taps = geometry.taps.num_taps;
#pragma omp simd
  for (int p = 0; p < count; ++p)
    write_taps<NT>(geometry.box(view, row[p], col[p]), num_channels, num_taps, window, base + p, weight + p);
  if (!squared) return;
  for (int k = 0; k < NT; ++k) {
    Real* __restrict const tap = taps.weight[k];
#pragma omp simd
    for (int p = 0; p < count; ++p) tap[p] *= tap[p];
  }
}

/// Channels that the taps touch.
template <int NT>
Range channels_of(ChunkTaps<NT> const& taps, int count) {
  int low = taps.base[0], high = taps.base[0];
#pragma omp simd reduction(min : low) reduction(max : high)
  for (int p = 0; p < count; ++p) {
    low = taps.base[p] < low ? taps.base[p] : low;
    high = taps.base[p] > high ? taps.base[p] : high;
  }
  return {low, high + NT};
}

/// One array [view][block][channel][lane] or [block][position][lane] by pointer and strides.
template <class T>
struct Blocks {
  T* data;
  Index block_stride;
  Index view_stride = 0;
  T* block(int b) const { return data + b * block_stride; }
  Blocks view(int v) const { return {data + v * view_stride, block_stride, view_stride}; }
};

/// The row blocks of a sinogram shard from `first_block` on.
inline Blocks<Real> blocks_of(Sinogram const& sino, int first_block) {
  return {sino.data() + first_block * Index(sino.stride_1()), Index(sino.stride_1()), Index(sino.stride_0())};
}
inline Blocks<Real const> blocks_of(ConstSinogram const& sino, int first_block) {
  return {sino.data() + first_block * Index(sino.stride_1()), Index(sino.stride_1()), Index(sino.stride_0())};
}

}  // namespace strata::host_tiles
