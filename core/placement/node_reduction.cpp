#include "core/placement/cylinder_moves.hpp"
#include "core/placement/node_sums.hpp"
#include "core/placement/per_device.hpp"
#include "core/placement/transfer.hpp"

namespace strata {

NodeReduction::NodeReduction(Placement const& views) {
  std::vector<TreeNode> all;
  for (int d = 0; d < views.num_devices(); ++d) {
    nodes_.push_back(covering_nodes(views.owned_groups(d), views.groups()));
    all.insert(all.end(), nodes_.back().begin(), nodes_.back().end());
  }
  num_nodes_ = static_cast<int>(all.size());
  auto const order = joining_order(all, views.groups());
  additions_ = per_local_device(*views.devices(), [&](int d) {
    ExecSpace const& exec = views.devices()->exec(d);
    auto const additions = make_view<Array1<int>>(exec, "strata::node_additions", 2 * order.size());
    auto const host = Kokkos::create_mirror(additions);
    for (std::size_t a = 0; a < order.size(); ++a) {
      host(2 * a) = order[a].target;
      host(2 * a + 1) = order[a].source;
    }
    Kokkos::deep_copy(exec, additions, host);
    exec.fence("strata::NodeReduction: the host copy goes away");
    return Array1<int const>(additions);
  });
}

/// The sums of the nodes of all devices, side by side in staging[t]; then their sum, in its first blocks.
void NodeReduction::collect(int t, ExecSpace const& exec, int num_blocks, std::vector<Cylinders> const& partials,
                            Range range, Cylinders const& staging) const {
  int position = 0;
  for (std::size_t d = 0; d < partials.size(); ++d)
    for (std::size_t n = 0; n < nodes_[d].size(); ++n, ++position) {
      int const first = static_cast<int>(n) * num_blocks;
      Kokkos::deep_copy(exec, block_range(staging, {position * range.size(), (position + 1) * range.size()}),
                        block_range(partials[d], {first + range.begin, first + range.end}));
    }
  add_nodes(exec, additions_[t], Index(range.size()) * static_cast<Index>(staging.extent(1) * staging.extent(2)),
            staging);
}

/// The same where all memory can be read: in one go, to `positions` of `out`, see CylinderPlaces.
void NodeReduction::add_in_place(int t, ExecSpace const& exec, int num_blocks, std::vector<Cylinders> const& partials,
                                 Range range, Array1<int const> const& positions, Cylinders const& out) const {
  NodeSources sources;
  for (std::size_t d = 0; d < partials.size(); ++d)
    for (std::size_t n = 0; n < nodes_[d].size(); ++n) {
      int const first = static_cast<int>(n) * num_blocks + range.begin;
      sources.data[static_cast<std::size_t>(sources.count++)] = block_range(partials[d], {first, first + 1}).data();
    }
  add_node_sources(exec, additions_[t], sources, partials[0].extent_int(1), positions, out);
}

void NodeReduction::reduce(DeviceSet const& devices, int num_blocks, std::vector<Cylinders> const& partials,
                           std::vector<Range> const& ranges, std::vector<Cylinders> const& staging,
                           Stream stream) const {
  devices.fence("reduce: partial sums are read by other devices", stream);
  devices.for_each(
      [&](int t, ExecSpace const& exec) {
        Range const range = ranges[t];
        if (range.empty()) return;
        if (devices.share_memory())
          add_in_place(t, exec, num_blocks, partials, range, {}, block_range(staging[t], {0, range.size()}));
        else
          collect(t, exec, num_blocks, partials, range, staging[t]);
      },
      stream);
  devices.fence("reduce: devices may change their partial sums", stream);
}

void NodeReduction::reduce_to_places(DeviceSet const& devices, SliceBlocks const& blocks,
                                     std::vector<Cylinders> const& partials, CylinderPlaces const& to,
                                     std::vector<Cylinders> const& staging, Stream stream) const {
  devices.fence("reduce: partial sums are read by other devices", stream);
  devices.for_each(
      [&](int t, ExecSpace const& exec) {
        Range const range = blocks.blocks_of_shard(t);
        if (devices.share_memory())
          return add_in_place(t, exec, blocks.num_blocks(), partials, range, to.positions_on(t), to.shards[t]);
        collect(t, exec, blocks.num_blocks(), partials, range, staging[t]);
        scatter_cylinders(exec, block_range(staging[t], {0, range.size()}), to.positions_on(t), to.shards[t]);
      },
      stream);
  devices.fence("reduce: devices may change their partial sums", stream);
}

void NodeReduction::reduce_band(DeviceSet const& devices, ShardBand const& band, std::vector<Cylinders> const& partials,
                                CylinderPlaces const& to, std::vector<Cylinders> const& staging, Stream stream) const {
  devices.fence("reduce: partial sums are read by other devices", stream);
  devices.for_each(
      [&](int t, ExecSpace const& exec) {
        if (t != band.owner) return;
        int const num_blocks = band.blocks.size();
        Range const all{0, num_blocks};
        Cylinders const out = block_range(to.shards[t], band.blocks);
        if (devices.share_memory()) return add_in_place(t, exec, num_blocks, partials, all, to.positions_on(t), out);
        collect(t, exec, num_blocks, partials, all, staging[t]);
        scatter_cylinders(exec, block_range(staging[t], all), to.positions_on(t), out);
      },
      stream);
  devices.fence("reduce: devices may change their partial sums", stream);
}

}  // namespace strata
