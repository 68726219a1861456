/// Counts of values of sharded arrays.
#pragma once

#include <vector>

#include "core/placement/sharded.hpp"
#include "core/placement/sinogram_layout.hpp"

namespace strata {

/// Bins of equal width from `low` to `high`; the last one includes `high`.
struct Histogram {
  double low = 0;
  double high = 0;
  std::vector<Index> counts;

  /// Left edge of bin `bin`.
  double edge(int bin) const { return low + (high - low) / static_cast<double>(counts.size()) * bin; }
};

/// Of all real entries of a volume, from the smallest to the largest. The same for every device count.
Histogram histogram(ShardedVolume const& volume, int num_bins);
/// Of all real entries of a sinogram.
Histogram histogram(ShardedSinogram const& sinogram, SinogramLayout const& layout, int num_bins);

}  // namespace strata
