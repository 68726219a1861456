#include "core/placement/transfer.hpp"

#include "core/base/error.hpp"
#include "core/placement/cylinder_moves.hpp"
#include "core/placement/node_sums.hpp"

namespace strata {
namespace {

/// slice[p] = volume[block][p][lane] for all pixels.
void extract_slice(ExecSpace const& exec, ConstCylinders const& volume, int block, int lane,
                   Array1<Real> const& slice) {
  Kokkos::parallel_for(
      "strata::extract_slice", Kokkos::RangePolicy<ExecSpace>(exec, 0, slice.extent_int(0)),
      KOKKOS_LAMBDA(int p) { slice(p) = volume(block, p, lane); });
}

void extract_pixels(ExecSpace const& exec, ConstCylinders const& volume, int block, int lane,
                    Array1<int const> const& pixels, Array1<Real> const& slice) {
  Kokkos::parallel_for(
      "strata::extract_pixels", Kokkos::RangePolicy<ExecSpace>(exec, 0, pixels.extent_int(0)),
      KOKKOS_LAMBDA(int i) { slice(pixels(i)) = volume(block, pixels(i), lane); });
}

}  // namespace

void all_gather(DeviceSet const& devices, SliceBlocks const& blocks, std::vector<Cylinders> const& shards,
                std::vector<Cylinders> const& targets, Stream stream) {
  devices.fence("all_gather: shards are read by other devices", stream);
  devices.for_each(
      [&](int d, ExecSpace const& exec) {
        for (int owner = 0; owner < devices.size(); ++owner)
          Kokkos::deep_copy(exec, block_range(targets[d], blocks.blocks_of_shard(owner)), shards[owner]);
      },
      stream);
  devices.fence("all_gather: owners may change their shards", stream);
}

void gather_places(DeviceSet const& devices, SliceBlocks const& blocks, CylinderPlaces const& from,
                   std::vector<Cylinders> const& own, std::vector<Cylinders> const& targets, Stream stream) {
  if (!devices.share_memory()) {
    auto const pack = [&](int d, ExecSpace const& exec) {
      gather_cylinders(exec, from.shards[d], from.positions_on(d), own[d]);
    };
    devices.for_each(pack, stream);
    return all_gather(devices, blocks, own, targets, stream);
  }
  devices.fence("gather_places: shards are read by other devices", stream);
  devices.for_each(
      [&](int d, ExecSpace const& exec) {
        for (int owner = 0; owner < devices.size(); ++owner)
          gather_cylinders(exec, from.shards[owner], from.positions_on(d),
                           block_range(targets[d], blocks.blocks_of_shard(owner)));
      },
      stream);
  devices.fence("gather_places: owners may change their shards", stream);
}

NodeReduction::NodeReduction(Placement const& views) {
  std::vector<TreeNode> all;
  for (int d = 0; d < views.num_devices(); ++d) {
    nodes_.push_back(covering_nodes(views.owned_groups(d), views.groups()));
    all.insert(all.end(), nodes_.back().begin(), nodes_.back().end());
  }
  num_nodes_ = static_cast<int>(all.size());
  auto const order = joining_order(all, views.groups());
  for (int d = 0; d < views.num_devices(); ++d) {
    ExecSpace const& exec = views.devices()->exec(d);
    auto const additions = make_view<Array1<int>>(exec, "strata::node_additions", 2 * order.size());
    auto const host = Kokkos::create_mirror(additions);
    for (std::size_t a = 0; a < order.size(); ++a) {
      host(2 * a) = order[a].target;
      host(2 * a + 1) = order[a].source;
    }
    Kokkos::deep_copy(exec, additions, host);
    exec.fence("strata::NodeReduction: the host copy goes away");
    additions_.push_back(additions);
  }
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

Halo::Halo(Placement const& slices, Index num_pixels)
    : slices_(slices),
      below_(slices.num_devices()),
      above_(slices.num_devices()),
      first_(slices.num_devices()),
      last_(slices.num_devices()) {
  for (int d = 0; d < slices.num_devices(); ++d) {
    ExecSpace const& exec = slices.devices()->exec(d);
    Range const own = slices.owned(d);
    if (own.empty()) continue;
    if (own.begin > 0) {
      below_[d] = make_view<Array1<Real>>(exec, "strata::halo_below", num_pixels);
      first_[d] = make_view<Array1<Real>>(exec, "strata::halo_first", num_pixels);
    }
    if (own.end < slices.real_size()) {
      above_[d] = make_view<Array1<Real>>(exec, "strata::halo_above", num_pixels);
      last_[d] = make_view<Array1<Real>>(exec, "strata::halo_last", num_pixels);
    }
  }
}

void Halo::exchange(ShardedVolume const& volume) const {
  refresh(volume, {});
}

void Halo::refresh(ShardedVolume const& volume, std::vector<Array1<int const>> const& pixels) const {
  DeviceSet const& devices = *slices_.devices();
  if (devices.size() == 1) return;
  SliceBlocks const& blocks = slices_.blocks();
  devices.for_each([&](int d, ExecSpace const& exec) {
    auto const take = [&](int slice, Array1<Real> const& target) {
      if (target.extent(0) == 0) return;
      int const block = blocks.block_of(slice) - d * blocks.per_shard;
      int const lane = blocks.lane_of(slice);
      if (pixels.empty())
        extract_slice(exec, volume[d], block, lane, target);
      else
        extract_pixels(exec, volume[d], block, lane, pixels[d], target);
    };
    take(slices_.owned(d).begin, first_[d]);
    take(slices_.owned(d).end - 1, last_[d]);
  });
  devices.fence("halo: boundary slices are read by neighbours");
  devices.for_each([&](int d, ExecSpace const& exec) {
    if (below_[d].extent(0) > 0) Kokkos::deep_copy(exec, below_[d], last_[d - 1]);
    if (above_[d].extent(0) > 0) Kokkos::deep_copy(exec, above_[d], first_[d + 1]);
  });
  devices.fence("halo: owners may change their boundary slices");
}

}  // namespace strata
