#include "core/solver/vcd_schedule.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/solver/schedule.hpp"

namespace strata {

VCDSchedule make_schedule(ScheduleParams const& params, std::vector<int> const& pixels) {
  require(!pixels.empty(),
          "geometry.use_ror_mask: expected pixels inside the region of reconstruction, there are none");
  LegacyRandom random(params.seed);
  auto const sequence = partition_schedule(params.partition_sequence, static_cast<int>(params.granularity.size()),
                                           params.max_iterations, params.first_iteration);
  VCDSchedule schedule;
  schedule.first_iteration = params.first_iteration;
  // Without passes nothing is needed; an empty list would ask for all partitions.
  if (sequence.empty()) return schedule;
  schedule.partitions = make_partitions(pixels, params.granularity, params.mode, random, sequence, params.cell_cols);
  for (int const partition : sequence)
    schedule.passes.push_back({partition, subset_order(schedule.partitions[partition], random)});
  return schedule;
}

FinerPasses make_finer_passes(std::vector<VCDPass> const& passes, int first, int num_partitions,
                              std::vector<int> pixels, int cell_cols) {
  constexpr int different = 4;
  constexpr int smallest_subset = 32;
  FinerPasses finer;
  int const subsets = 2 * static_cast<int>(passes.back().order.size());
  if (static_cast<int>(pixels.size()) < subsets * smallest_subset) return finer;
  std::sort(pixels.begin(), pixels.end());
  LegacyRandom random(static_cast<std::uint32_t>(subsets));
  finer.partitions =
      make_partitions(pixels, std::vector<int>(different, subsets), PartitionMode::balanced, random, {}, cell_cols);
  for (int i = first; i < std::max(static_cast<int>(passes.size()), first + different); ++i)
    finer.passes.push_back({num_partitions + (i - first) % different, random.permutation(subsets)});
  return finer;
}

}  // namespace strata
