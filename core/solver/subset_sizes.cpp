#include "core/solver/subset_sizes.hpp"

#include <algorithm>

#include "core/model/exchange_plan.hpp"
#include "core/model/projector.hpp"
#include "core/placement/sharded.hpp"

namespace strata {
namespace {

/// Arrays that lie one after the other begin where vectors may.
constexpr Index alignment = 64 / Index(sizeof(Real));
constexpr Index order_matters = Projector::own_order_entries;

Index shard_values(Placement const& views, SinogramLayout const& layout) {
  SliceBlocks const& rows = layout.rows;
  return Index(views.shard_size()) * rows.num_blocks() * stored_channels(layout.num_channels, rows.lanes) * rows.lanes;
}

}  // namespace

SubsetSizes::SubsetSizes(Placement const& slices, Placement const& views, SinogramLayout const& layout,
                         Index num_pixels, Index largest, Index max_bytes, int wanted_turns)
    : chunk(static_cast<int>(largest)), whole(chunk) {
  Index const own_lanes = Index(slices.blocks().per_shard) * slices.blocks().lanes;
  own = (largest * own_lanes + alignment - 1) / alignment * alignment;
  work = 2 * own;
  if (slices.num_devices() == 1) {
    partial = {own};
    staging = {0};
    return;
  }
  // Small against a volume, yet four devices exchange the subsets of usual partitions, 64 and more, whole.
  Index const budget = max_bytes > 0 ? max_bytes : num_pixels * own_lanes * Index(sizeof(Real)) / 8;
  auto const exchanged = [&](int turns_asked) {
    return ExchangePlan(slices, views, largest, budget, turns_asked, ExchangePlan::Of::subsets);
  };
  ExchangePlan exchange = exchanged(1);
  if (exchange.batch() < largest) exchange = exchanged(wanted_turns);  // a single chunk has nothing to overlap with
  turns = exchange.turns();
  bool const couples_slices = layout.rows.num_shards == 1;
  chunk = static_cast<int>(std::min(Index(exchange.batch()), largest));
  whole = static_cast<int>(std::min(couples_slices ? Index(chunk) : std::max(Index(chunk), order_matters), largest));
  if (chunk < largest) work = 3 * own;
  // A direction is gathered or projected when gradient, curvature and back projection have been used up.
  if (whole > chunk) work = std::max(work, whole * own_lanes * slices.num_devices());
  if (whole < largest) work = std::max(work, shard_values(views, layout));
  for (int d = 0; d < slices.num_devices(); ++d) {
    partial.push_back(exchange.send_values(d) / exchange.batch() * chunk);
    staging.push_back(exchange.receive_values(d) / exchange.batch() * chunk);
  }
}

}  // namespace strata
