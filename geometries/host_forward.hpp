/// Host tiles, part 2: forward projection of one view. The pixels of a chunk are sorted by channel, so that sums stay
/// in registers and every channel is read and written once per chunk, not once per pixel.
#pragma once

#include <array>
#include <cstdint>

#include "geometries/host_taps.hpp"
#include "geometries/lane_vector.hpp"
#include "geometries/projector_arrays.hpp"

namespace strata::host_tiles {

/// The pixels of one chunk in the order of their first channel. Pixels of a channel keep the order of the list.
struct ChunkOrder {
  std::uint8_t pixel[chunk_size];
  Range channels;          ///< touched by any tap
  int const* bucket_ends;  ///< [4 * (channel - channels.begin) + 3]: pixels with first channel <= channel
};
static_assert(chunk_size - 1 <= UINT8_MAX);

/// Where the cylinders of a chunk are: `position` of pixel p in [position][lane], from `first` on.
struct ChunkPlaces {
  int const* position;
  Index first;

  ChunkPlaces(Pixels const& pixels, int first_pixel)
      : position(pixels.position ? pixels.position + first_pixel : identity.data()),
        first(pixels.position ? 0 : first_pixel) {}

 private:
  static constexpr std::array<int, chunk_size> identity = [] {
    std::array<int, chunk_size> all{};
    for (int p = 0; p < chunk_size; ++p) all[p] = p;
    return all;
  }();
};

/// Integers that sort_chunk() needs as `counts`.
inline Index sort_space(int num_channels) {
  return 4 * (static_cast<Index>(num_channels) + TapShape::max_width);
}

/// Counts the pixels of each channel. Neighbours in the list often share a channel, and with one counter a channel that
/// would be a chain of dependent increments; so every quarter of the chunk has its own.
KOKKOS_FORCEINLINE_FUNCTION void count_quarters(int const* __restrict base, int first_channel, int quarter,
                                                int* __restrict counts) {
  for (int i = 0; i < quarter; ++i) {
    ++counts[4 * (base[i] - first_channel)];
    ++counts[4 * (base[i + quarter] - first_channel) + 1];
    ++counts[4 * (base[i + 2 * quarter] - first_channel) + 2];
    ++counts[4 * (base[i + 3 * quarter] - first_channel) + 3];
  }
}

/// Counting sort; the pixels of a channel keep their order.
template <int NT>
void sort_chunk(ChunkTaps<NT> const& taps, int count, int* __restrict counts, ChunkOrder& order) {
  order.channels = channels_of(taps, count);
  order.bucket_ends = counts;
  int const num_counts = 4 * order.channels.size();
  for (int i = 0; i < num_counts; ++i) counts[i] = 0;
  int const low = order.channels.begin;
  int const* __restrict const base = taps.base;
  std::uint8_t* __restrict const pixel = order.pixel;
  int const quarter = count / 4, whole = 4 * quarter;
  count_quarters(base, low, quarter, counts);
  for (int p = whole; p < count; ++p) ++counts[4 * (base[p] - low) + 3];
  int sum = 0;
  for (int i = 0; i < num_counts; ++i) {
    int const here = counts[i];
    counts[i] = sum;
    sum += here;
  }
  auto const place = [&](int p, int counter) {
    pixel[counts[4 * (base[p] - low) + counter]++] = static_cast<std::uint8_t>(p);
  };
  for (int i = 0; i < quarter; ++i) {
    place(i, 0);
    place(i + quarter, 1);
    place(i + 2 * quarter, 2);
    place(i + 3 * quarter, 3);
  }
  for (int p = whole; p < count; ++p) place(p, 3);
}

/// Adds one slice block [position][lane] of the chunk's pixels to the channels [channel][lane] of a view.
template <int NT, int NV>
void add_sorted(ChunkTaps<NT> const& taps, ChunkOrder const& order, int const* __restrict position,
                Real const* __restrict volume, Real* __restrict sino) {
  constexpr Index lanes = NV * LaneVector::width;
  BlockVector<NV> sum[NT];
  int entry = 0;
  int pending = 0;  // channels from here on that have something in `sum`
  for (int n = 0; n < order.channels.size(); ++n) {
    int const end = order.bucket_ends[4 * n + 3];
    if (entry < end) pending = NT;
    if (pending == 0) continue;
    --pending;
    for (; entry < end; ++entry) {
      int const p = order.pixel[entry];
      auto const x = BlockVector<NV>::load(volume + position[p] * lanes);
#pragma GCC unroll 4
      for (int t = 0; t < NT; ++t) sum[t].add(taps.weight[t][p], x);
    }
    Real* const out = sino + (order.channels.begin + n) * lanes;
    (BlockVector<NV>::load(out) + sum[0]).store(out);
#pragma GCC unroll 4
    for (int t = 0; t + 1 < NT; ++t) sum[t] = sum[t + 1];
    sum[NT - 1] = BlockVector<NV>();
  }
}

/// As add_sorted(), without the sort: every pixel is added to its channels at once. For volumes of so few slices that
/// sorting costs more than it saves.
template <int NT, int NV>
void add_unsorted(ChunkTaps<NT> const& taps, int count, int const* __restrict position, Real const* __restrict volume,
                  Real* __restrict sino) {
  constexpr Index lanes = NV * LaneVector::width;
  for (int p = 0; p < count; ++p) {
    auto const x = BlockVector<NV>::load(volume + position[p] * lanes);
    Real* const out = sino + taps.base[p] * lanes;
#pragma GCC unroll 4
    for (int t = 0; t < NT; ++t) {
      auto sum = BlockVector<NV>::load(out + t * lanes);
      sum.add(taps.weight[t][p], x);
      sum.store(out + t * lanes);
    }
  }
}

/// Arrays of one forward projection by plain pointers.
template <class G>
struct ForwardJob {
  G geometry;
  Pixels pixels;
  Blocks<Real const> volume;
  int num_blocks;
  int num_views;
  bool sorted;

  ForwardJob(G const& g, ProjectorShape const& shape, CylinderBand const& band)
      : geometry(g),
        pixels(band.pixels, band.position),
        volume{band.values.data(), static_cast<Index>(band.values.stride_0())},
        num_blocks(band.blocks.size()),
        num_views(shape.views.size()),
        sorted(shape.blocks.num_slices > LaneVector::width) {}
};

/// Adds the projection of chunk `chunk` of the list to one view, all blocks.
template <int NT, int NV, class G>
void add_chunk(ForwardJob<G> const& job, int view, int chunk, Blocks<Real> const& sino, int* counts) {
  constexpr Index lanes = NV * LaneVector::width;
  ChunkTaps<NT> taps;
  ChunkOrder order;
  int const first = chunk * chunk_size, count = job.pixels.count(chunk);
  ChunkPlaces const places(job.pixels, first);
  for (int w = 0; w < job.geometry.taps.num_windows; ++w) {
    prepare_taps(job.geometry, view, job.pixels, first, count, job.geometry.taps.window(w), false, taps);
    if (job.sorted) sort_chunk(taps, count, counts, order);
    for (int b = 0; b < job.num_blocks; ++b) {
      Real const* const volume = job.volume.block(b) + places.first * lanes;
      if (job.sorted)
        add_sorted<NT, NV>(taps, order, places.position, volume, sino.block(b));
      else
        add_unsorted<NT, NV>(taps, count, places.position, volume, sino.block(b));
    }
  }
}

/// Sets all channels of one view to zero.
template <int NV>
void clear_view(int num_channels, int num_blocks, Blocks<Real> const& sino) {
  for (int b = 0; b < num_blocks; ++b) {
    Real* const block = sino.block(b);
    for (Index i = 0; i < Index(num_channels) * NV; ++i) LaneVector().store(block + i * LaneVector::width);
  }
}

/// sino = A x for one view.
template <int NT, int NV, class G>
void project_view(ForwardJob<G> const& job, int view, Blocks<Real> const& sino, int* counts) {
  clear_view<NV>(job.geometry.num_channels, job.num_blocks, sino);
  for (int chunk = 0; chunk < job.pixels.num_chunks(); ++chunk) add_chunk<NT, NV>(job, view, chunk, sino, counts);
}

}  // namespace strata::host_tiles
