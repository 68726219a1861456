#include "core/solver/missing_rays.hpp"

namespace strata {
namespace {

/// One detector row of one view: channels are `stride` apart.
struct Row {
  Real const* y;
  Real const* weights;
  Real* filled;
  int channels;
  Index stride;

  KOKKOS_FUNCTION bool counts(int channel) const { return weights[channel * stride] > 0; }
  /// Fills channels (left, right), which count nothing; -1 and `channels` stand for the ends.
  KOKKOS_FUNCTION void fill(int left, int right) const {
    bool const has_left = left >= 0, has_right = right < channels;
    Real const from = has_left ? y[left * stride] : has_right ? y[right * stride] : Real(0);
    Real const to = has_right ? y[right * stride] : from;
    for (int channel = left + 1; channel < right; ++channel)
      filled[channel * stride] = from + (to - from) * Real(channel - left) / Real(right - left);
  }
};

void fill_shard(ExecSpace const& exec, int num_views, SinogramLayout const& layout, ConstSinogram const& y,
                ConstSinogram const& weights, Sinogram const& filled) {
  int const lanes = layout.rows.lanes, blocks = layout.rows.num_blocks();
  int const stored = y.extent_int(2), channels = layout.num_channels;
  Kokkos::parallel_for(
      "strata::fill_missing_rays",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, Index(num_views) * blocks * lanes),
      KOKKOS_LAMBDA(Index item) {
        Index const at = item / lanes * stored * lanes + item % lanes;
        Row const row{y.data() + at, weights.data() + at, filled.data() + at, channels, lanes};
        int last = -1;
        for (int channel = 0; channel < channels; ++channel) {
          if (!row.counts(channel)) continue;
          row.fill(last, channel);
          row.filled[channel * row.stride] = row.y[channel * row.stride];
          last = channel;
        }
        row.fill(last, channels);
      });
}

}  // namespace

void fill_missing_rays(SinogramLayout const& layout, ShardedSinogram const& y, ShardedSinogram const& weights,
                       ShardedSinogram const& filled) {
  y.placement.devices()->for_each([&](int d, ExecSpace const& exec) {
    fill_shard(exec, y.placement.owned(d).size(), layout, y[d], weights[d], filled[d]);
  });
  y.placement.devices()->fence("fill_missing_rays: filtered next");
}

}  // namespace strata
