/// Element-wise work on sharded volumes, for loops that combine images on the devices.
#pragma once

#include <vector>

#include "core/placement/sharded.hpp"
#include "core/solver/slice_totals.hpp"
#include "core/solver/subset_kernels.hpp"

namespace strata {

/// out = a x + b y, padding included; `out` may be x or y.
void combine(double a, ShardedVolume const& x, double b, ShardedVolume const& y, ShardedVolume const& out);

/// Sum of |x| over the voxels, in double and in an order that does not depend on threads or devices. Allocates at
/// construction alone.
class AbsoluteSum {
 public:
  /// For volumes with `num_pixels` cylinders.
  AbsoluteSum(Placement const& slices, Index num_pixels);
  double operator()(ShardedVolume const& x) const;

 private:
  Placement slices_;
  std::vector<SliceSums> sums_;
  std::vector<HostSliceTotals> host_;
};

}  // namespace strata
