/// Which subsets run in which order, decided before the first iteration.
#pragma once

#include <cstdint>
#include <vector>

#include "core/solver/pixel_partition.hpp"

namespace strata {

struct VCDPass {
  int partition = 0;       ///< index into VCDSchedule::partitions
  std::vector<int> order;  ///< of the subsets
};

struct VCDSchedule {
  std::vector<PixelPartition> partitions;  ///< those that no pass names may be empty
  std::vector<VCDPass> passes;             ///< [iteration - first_iteration]
  int first_iteration = 0;                 ///< number of the first pass
};

struct ScheduleParams {
  std::vector<int> granularity;
  std::vector<int> partition_sequence;
  int max_iterations = 15;
  int first_iteration = 0;
  std::uint32_t seed = 0;
  PartitionMode mode = PartitionMode::balanced;
  int cell_cols = 0;  ///< > 0: columns of the plane, subsets hold cells of 2 x 2 pixels, see VCDOptions::cells
};

/// Partitions and orders from one random stream. `pixels`: increasing indices of the masked pixels.
/// Source: solver.md 2.1, 3.
VCDSchedule make_schedule(ScheduleParams const& params, std::vector<int> const& pixels);

/// Puts partitions into twice as many subsets as the last pass has in the place of the passes from `first` (an index)
/// on: four that take turns. New partitions stand at the end of the result's list, with numbers that go on from
/// `num_partitions`. Nothing where subsets would become too small to be worth it.
struct FinerPasses {
  std::vector<PixelPartition> partitions;
  std::vector<VCDPass> passes;  ///< in the place of the passes from `first` on
};
FinerPasses make_finer_passes(std::vector<VCDPass> const& passes, int first, int num_partitions,
                              std::vector<int> pixels, int cell_cols = 0);

}  // namespace strata
