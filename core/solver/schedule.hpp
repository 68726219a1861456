/// Which partition each iteration of VCD uses.
#pragma once

#include <span>
#include <vector>

#include "core/base/types.hpp"

namespace strata {

/// Default numbers of subsets: 1, 2, 4, .. 128, and three more different partitions into 128. Source: solver
/// specification 3.4.
std::vector<int> default_granularity();

/// Default partitions by iteration: 4, 16 and 64 subsets, then the four partitions into 128 in turn, 25 times.
std::vector<int> default_partition_sequence();

/// The same for accelerated runs: 4, 16 and eight different partitions into `subsets`, which take turns after one pass
/// with 4 and one with 16 subsets. Fewer and larger subsets reach what a start leaves of low frequencies; where it
/// leaves none (`low_frequencies` false), they are left out. Source: acceleration.md 1, 3.
std::vector<int> accelerated_granularity(int subsets = 64);
std::vector<int> accelerated_partition_sequence(bool low_frequencies = true);
/// How many subsets pay for a plane of so many pixels. Each visit sweeps over the sinogram, so more subsets have to
/// save passes: they do for single pixels where slices do not couple. Source: docs/acceleration.md.
int accelerated_subsets(Index num_pixels, bool cells, bool couples_slices);

/// `sequence` cut to `max_iterations` entries, or filled up with its last one.
std::vector<int> extend_partition_sequence(std::span<int const> sequence, int max_iterations);

/// The partition of each iteration that runs: the extended sequence from `first_iteration` on, so
/// max_iterations - first_iteration entries (none when first_iteration is not below max_iterations).
/// \throws InputError for an empty sequence, an entry that is not in [0, num_partitions), a negative count.
std::vector<int> partition_schedule(std::span<int const> sequence, int num_partitions, int max_iterations,
                                    int first_iteration = 0);

}  // namespace strata
