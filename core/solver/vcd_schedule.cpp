#include "core/solver/vcd_schedule.hpp"

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
  // Without passes nothing is needed; an empty list would ask for all partitions.
  if (sequence.empty()) return schedule;
  schedule.partitions = make_partitions(pixels, params.granularity, params.mode, random, sequence);
  for (int const partition : sequence)
    schedule.passes.push_back({partition, subset_order(schedule.partitions[partition], random)});
  return schedule;
}

}  // namespace strata
