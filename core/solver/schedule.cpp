#include "core/solver/schedule.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace strata {

std::vector<int> default_granularity() {
  return {1, 2, 4, 8, 16, 32, 64, 128, 128, 128, 128};
}

std::vector<int> default_partition_sequence() {
  std::vector<int> sequence{2, 4, 6};
  for (int cycle = 0; cycle < 25; ++cycle) sequence.insert(sequence.end(), {7, 8, 9, 10});
  return sequence;
}

std::vector<int> accelerated_granularity(int subsets) {
  std::vector<int> granularity{4, 16};
  granularity.insert(granularity.end(), 8, subsets);
  return granularity;
}

int accelerated_subsets(Index num_pixels, bool cells, bool couples_slices) {
  constexpr Index worth_more = 4096;
  return num_pixels < worth_more || cells || couples_slices ? 64 : 128;
}

std::vector<int> accelerated_partition_sequence(bool low_frequencies) {
  std::vector<int> sequence;
  if (low_frequencies) sequence = {0, 1};
  for (int cycle = 0; cycle < 25; ++cycle) sequence.insert(sequence.end(), {2, 3, 4, 5, 6, 7, 8, 9});
  return sequence;
}

std::vector<int> extend_partition_sequence(std::span<int const> sequence, int max_iterations) {
  require(!sequence.empty(), "partition_sequence: at least one entry is needed, the list is empty");
  require(max_iterations >= 0, "max_iterations: must not be negative, found ", max_iterations);
  auto const wanted = static_cast<std::size_t>(max_iterations);
  std::vector<int> extended(sequence.begin(),
                            sequence.begin() + static_cast<std::ptrdiff_t>(std::min(sequence.size(), wanted)));
  extended.resize(wanted, sequence.back());
  return extended;
}

std::vector<int> partition_schedule(std::span<int const> sequence, int num_partitions, int max_iterations,
                                    int first_iteration) {
  require(first_iteration >= 0, "first_iteration: must not be negative, found ", first_iteration);
  for (int const entry : sequence)
    require(entry >= 0 && entry < num_partitions, "partition_sequence: entries must be in [0, ", num_partitions,
            "), the number of entries of granularity; found ", entry);
  std::vector<int> const extended = extend_partition_sequence(sequence, max_iterations);
  auto const skipped = std::min(static_cast<std::size_t>(first_iteration), extended.size());
  return {extended.begin() + static_cast<std::ptrdiff_t>(skipped), extended.end()};
}

}  // namespace strata
