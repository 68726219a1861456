/// Host tiles: projection of a small subset of the pixels, one channel after the other. The subset is sorted as a
/// whole, so the value of a channel is complete when its pixels have passed: it is used in registers and stored
/// nowhere.
#pragma once

#include <cstdint>

#include "geometries/host_forward.hpp"

namespace strata::host_tiles {

/// The pixels of a subset in one view, sorted by the first channel that they touch.
template <int NT>
struct SortedSubset {
  /// Largest subset that is sorted as a whole; what is larger goes chunk by chunk through memory.
  static constexpr int capacity = Projector::own_order_entries;

  struct Entry {
    Real weight[NT];
    int position;
  };

  int count = 0;
  Range channels;  ///< touched by any tap
  int* ends;       ///< [channel - channels.begin]: entries with first channel <= channel
  Entry entries[capacity];
  alignas(64) int base[capacity];
  alignas(64) Real weight[NT * capacity];
};

/// True when kernels of this file can project the pixels of `job`.
template <class G>
bool fits_sorted_subset(ForwardJob<G> const& job) {
  return job.pixels.size <= SortedSubset<1>::capacity && job.geometry.taps.num_windows == 1;
}

/// Writes one pixel's taps. A function of its own: structures declared inside a vectorised loop would be kept in
/// memory.
template <int NT>
KOKKOS_FORCEINLINE_FUNCTION void write_subset_taps(ChannelBox box, int num_channels, int num_taps, int* __restrict base,
                                                   Real* __restrict weight) {
  constexpr int capacity = SortedSubset<NT>::capacity;
  TapPlace const place = place_taps(box, num_channels, num_taps, 0);
  *base = place.base;
  weight[0] = tap_weight(box, place, 0, 0);
  if constexpr (NT > 1) weight[capacity] = tap_weight(box, place, 1, 0);
  if constexpr (NT > 2) weight[2 * capacity] = tap_weight(box, place, 2, 0);
  if constexpr (NT > 3) weight[3 * capacity] = tap_weight(box, place, 3, 0);
}

/// Taps of all pixels in view `v`, vectorised over pixels: base [pixel], weight [tap * capacity + pixel].
template <int NT, class G>
void prepare_subset(ForwardJob<G> const& job, int v, SortedSubset<NT>& subset) {
  Real const* __restrict const row = job.pixels.row;
  Real const* __restrict const col = job.pixels.col;
  int* __restrict const base = subset.base;
  Real* __restrict const weight = subset.weight;
  auto const view = job.geometry.view(v);
  int const num_channels = job.geometry.num_channels, num_taps = job.geometry.taps.num_taps, count = job.pixels.size;
#pragma omp simd
  for (int p = 0; p < count; ++p)
    write_subset_taps<NT>(G::box(view, row[p], col[p]), num_channels, num_taps, base + p, weight + p);
  subset.count = count;
}

/// Counting sort; pixels of a channel keep the order of the list. `counts` holds an integer for each channel.
template <int NT>
void sort_subset(Pixels const& pixels, int* __restrict counts, SortedSubset<NT>& subset) {
  constexpr int capacity = SortedSubset<NT>::capacity;
  int const* __restrict const base = subset.base;
  int low = base[0], high = base[0];
#pragma omp simd reduction(min : low) reduction(max : high)
  for (int p = 0; p < subset.count; ++p) {
    low = base[p] < low ? base[p] : low;
    high = base[p] > high ? base[p] : high;
  }
  subset.channels = {low, high + NT};
  subset.ends = counts;
  int const num_counts = high + NT - low;
  for (int i = 0; i < num_counts; ++i) counts[i] = 0;
  for (int p = 0; p < subset.count; ++p) ++counts[base[p] - low];
  int sum = 0;
  for (int i = 0; i < num_counts; ++i) {
    int const here = counts[i];
    counts[i] = sum;
    sum += here;
  }
  for (int p = 0; p < subset.count; ++p) {
    auto& entry = subset.entries[counts[base[p] - low]++];
    for (int t = 0; t < NT; ++t) entry.weight[t] = subset.weight[t * capacity + p];
    entry.position = pixels.position ? pixels.position[p] : p;
  }
}

/// Calls use(channel, value) for every channel that the subset touches, in order; value is the projection of one block
/// [position][lane] of the subset.
template <int NT, int NV, class Use>
KOKKOS_FORCEINLINE_FUNCTION void project_channels(SortedSubset<NT> const& subset, Real const* __restrict volume,
                                                  Use const& use) {
  constexpr Index lanes = NV * LaneVector::width;
  BlockVector<NV> sum[NT];
  int entry = 0;
  int pending = 0;  // channels from here on that have something in `sum`
  for (int n = 0; n < subset.channels.size(); ++n) {
    int const end = subset.ends[n];
    if (entry < end) pending = NT;
    if (pending == 0) continue;
    --pending;
    for (; entry < end; ++entry) {
      auto const& e = subset.entries[entry];
      auto const x = BlockVector<NV>::load(volume + e.position * lanes);
#pragma GCC unroll 4
      for (int t = 0; t < NT; ++t) sum[t].add(e.weight[t], x);
    }
    use(subset.channels.begin + n, sum[0]);
#pragma GCC unroll 4
    for (int t = 0; t + 1 < NT; ++t) sum[t] = sum[t + 1];
    sum[NT - 1] = BlockVector<NV>();
  }
}

/// Fetches the lanes of one channel some channels ahead: arrays of a whole sinogram come from memory, and the sums
/// between two channels are too long for the hardware to run ahead.
template <int NV>
KOKKOS_FORCEINLINE_FUNCTION void fetch_ahead(Real const* channel) {
  constexpr Index lanes = NV * LaneVector::width;
  constexpr Index ahead = 8 * lanes;
  for (Index lane = 0; lane < lanes; lane += LaneVector::width) __builtin_prefetch(channel + ahead + lane);
}

/// Channels whose products are added up in float before they go on in double.
constexpr int channel_group = 8;

/// sum += w q^2 for the lanes of one channel; `weights` null: ones.
template <int NV>
KOKKOS_FORCEINLINE_FUNCTION void add_weighted_square(BlockVector<NV> const& q, Real const* weights,
                                                     BlockVector<NV>& sum) {
#pragma GCC unroll 4
  for (int k = 0; k < NV; ++k) {
    auto const weighted = weights ? LaneVector::load(weights + k * LaneVector::width) * q.part[k] : q.part[k];
    sum.part[k] = fma(weighted, q.part[k], sum.part[k]);
  }
}
template <int NV>
KOKKOS_FORCEINLINE_FUNCTION void add_weighted_square(Real const* q, Real const* weights, BlockVector<NV>& sum) {
  add_weighted_square<NV>(BlockVector<NV>::load(q), weights, sum);
}

/// rows[lane] += partial [lane], then partial = 0.
template <int NV>
KOKKOS_FORCEINLINE_FUNCTION void flush_rows(BlockVector<NV>& partial, double* __restrict rows) {
  constexpr int lanes = NV * LaneVector::width;
  alignas(64) Real values[lanes];
  partial.store(values);
#pragma omp simd
  for (int lane = 0; lane < lanes; ++lane) rows[lane] += static_cast<double>(values[lane]);
  partial = BlockVector<NV>();
}

/// q [channel][lane] = the projection of one block, all channels.
template <int NT, int NV>
void store_projection(SortedSubset<NT> const& subset, int num_channels, Real const* __restrict volume,
                      Real* __restrict q) {
  constexpr Index lanes = NV * LaneVector::width;
  for (Index i = 0; i < num_channels * lanes; i += LaneVector::width) LaneVector().store(q + i);
  project_channels<NT, NV>(subset, volume,
                           [&](int channel, BlockVector<NV> const& value) { value.store(q + channel * lanes); });
}

/// rows[lane] = sum over channels of w q^2 for one block. Products are summed in float over aligned groups of 8
/// channels and in double beyond, so the grouping depends on channel numbers alone. `weights` [channel][lane] or null
/// for ones.
template <int NT, int NV>
void sum_subset_squares(SortedSubset<NT> const& subset, Real const* __restrict volume, Real const* __restrict weights,
                        double* __restrict rows) {
  constexpr Index lanes = NV * LaneVector::width;
  for (int lane = 0; lane < lanes; ++lane) rows[lane] = 0;
  BlockVector<NV> partial;
  int current = subset.channels.begin / channel_group;
  project_channels<NT, NV>(subset, volume, [&](int channel, BlockVector<NV> const& q) {
    if (weights) fetch_ahead<NV>(weights + channel * lanes);
    if (channel / channel_group != current) {
      flush_rows<NV>(partial, rows);
      current = channel / channel_group;
    }
    add_weighted_square<NV>(q, weights ? weights + channel * lanes : nullptr, partial);
  });
  flush_rows<NV>(partial, rows);
}

/// error -= alpha * w * q for one block [channel][lane], with the roundings of update_view().
template <int NT, int NV>
void descend_subset(SortedSubset<NT> const& subset, Real const* __restrict volume, Real alpha,
                    Real const* __restrict weights, Real* __restrict error) {
  constexpr Index lanes = NV * LaneVector::width;
  LaneVector const minus_alpha(-alpha);
  project_channels<NT, NV>(subset, volume, [&](int channel, BlockVector<NV> const& q) {
    if (weights) fetch_ahead<NV>(weights + channel * lanes);
    fetch_ahead<NV>(error + channel * lanes);
#pragma GCC unroll 4
    for (int k = 0; k < NV; ++k) {
      Index const i = channel * lanes + k * LaneVector::width;
      LaneVector const factor = weights ? minus_alpha * LaneVector::load(weights + i) : minus_alpha;
      fma(factor, q.part[k], LaneVector::load(error + i)).store(error + i);
    }
  });
}

}  // namespace strata::host_tiles
