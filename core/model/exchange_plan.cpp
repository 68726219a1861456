#include "core/model/exchange_plan.hpp"

#include <algorithm>

#include "core/model/projector.hpp"
#include "core/placement/instances.hpp"

namespace strata {
namespace {

constexpr Index part = CylinderBand::part_alignment;

}  // namespace

ExchangePlan::ExchangePlan(Placement const& slices, Placement const& views, Index num_pixels, Index max_bytes,
                           int turns, Of what)
    : turns_(turns > 0            ? turns
             : is_host_back_end() ? 1
                                  : 2) {
  if (slices.num_devices() == 1) return;
  SliceBlocks const& blocks = slices.blocks();
  std::vector<Index> nodes;
  Index all_nodes = 0;
  for (int d = 0; d < views.num_devices(); ++d) {
    nodes.push_back(static_cast<Index>(covering_nodes(views.owned_groups(d), views.groups()).size()));
    all_nodes += nodes.back();
  }
  Index const own = Index(blocks.per_shard) * blocks.lanes, all = own * blocks.num_shards;
  Index fullest = 0;
  for (Index const count : nodes) {
    Index const sums = turns_ * count * all;
    if (slices.devices()->share_memory()) {
      send_.push_back(sums);
      receive_.push_back(what == Of::projections ? 0 : turns_ * all);
    } else {
      send_.push_back(std::max(own, sums));
      receive_.push_back(std::max(turns_ * all, all_nodes * own));
    }
    fullest = std::max(fullest, send_.back() + receive_.back());
  }
  Index const budget = max_bytes > 0 ? max_bytes : usual_bytes(slices, num_pixels);
  Index const wanted = budget / (fullest * Index(sizeof(Real)));
  Index const most = (std::max<Index>(num_pixels, 1) + part - 1) / part * part;
  batch_ = static_cast<int>(std::clamp(wanted / part * part, part, most));
}

Index ExchangePlan::usual_bytes(Placement const& slices, Index num_pixels) {
  // Large against the cost of a fence, small against a volume.
  Index const shard_bytes = num_pixels * slices.blocks().per_shard * slices.blocks().lanes * Index(sizeof(Real));
  return std::min(Index(32) << 20, shard_bytes / 8);
}

std::vector<Index> ExchangePlan::device_bytes() const {
  std::vector<Index> bytes;
  for (std::size_t d = 0; d < send_.size(); ++d)
    bytes.push_back(batch_ * (send_[d] + receive_[d]) * Index(sizeof(Real)));
  return bytes;
}

Index ExchangePlan::smallest_bytes() const {
  Index largest = 0;
  for (std::size_t d = 0; d < send_.size(); ++d) largest = std::max(largest, send_[d] + receive_[d]);
  return largest * part * Index(sizeof(Real));
}

}  // namespace strata
