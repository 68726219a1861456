#include "core/placement/slice_blocks.hpp"

#include "core/base/error.hpp"

namespace strata {
namespace {
int divide_up(int a, int b) {
  return (a + b - 1) / b;
}
}  // namespace

SliceBlocks::SliceBlocks(int slices, int shards) : num_slices(slices), num_shards(shards) {
  ensure(slices > 0 && shards > 0, "SliceBlocks: needs at least one slice and one shard, got ", slices, " and ",
         shards);
  shard_size = divide_up(slices, shards);
  per_shard = divide_up(shard_size, max_lanes);
  lanes = divide_up(divide_up(shard_size, per_shard), lane_step) * lane_step;
}

SliceBlocks SliceBlocks::single(int slices) {
  SliceBlocks blocks;
  blocks.num_slices = slices;
  blocks.shard_size = slices;
  blocks.per_shard = 1;
  blocks.lanes = divide_up(slices, lane_step) * lane_step;
  return blocks;
}

}  // namespace strata
