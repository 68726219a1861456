/// Movement of data between devices, one implementation a file: all_gather(), gather_places() and broadcast_band() in
/// transfer.cpp, NodeReduction in node_reduction.cpp, Halo in halo.cpp. The only place where one device reads another's
/// memory, but for volumes that are whole (sharded.hpp). Moves are deep_copy of contiguous buffers on the receiver's
/// instance or, where devices share a memory, kernels of the receiver that put every value where it is wanted;
/// producers are fenced before, receivers after. With Stream::transfer neither waits for kernels: what is moved must
/// have been made on that stream, or be complete.
#pragma once

#include <vector>

#include "core/placement/band_buffer.hpp"
#include "core/placement/placement.hpp"
#include "core/placement/sharded.hpp"

namespace strata {

/// Every device gets all shards: targets[device] block range of shard d = shards[d].
/// shards[d] is [block of the shard][position][lane], targets [block][position][lane] over all blocks.
void all_gather(DeviceSet const& devices, SliceBlocks const& blocks, std::vector<Cylinders> const& shards,
                std::vector<Cylinders> const& targets, Stream stream = Stream::compute);

/// Some cylinders of a volume or of an array like one: shards[device] [block of the shard][position][lane].
struct CylinderPlaces {
  std::vector<Cylinders> shards;
  std::vector<Array1<int const>> positions;  ///< [device] of the entries, the same numbers; none: entry e is at e

  Array1<int const> positions_on(int device) const {
    return positions.empty() ? Array1<int const>() : positions[device];
  }
};

/// Every device gets whole cylinders: targets[device] [block][entry][lane] over all blocks. own[device]
/// [block of the shard][entry][lane] is where cylinders are packed that go to other devices; none is needed where
/// devices share a memory.
void gather_places(DeviceSet const& devices, SliceBlocks const& blocks, CylinderPlaces const& from,
                   std::vector<Cylinders> const& own, std::vector<Cylinders> const& targets,
                   Stream stream = Stream::compute);

/// Some blocks of one device's shard.
struct ShardBand {
  int owner = 0;
  Range blocks;  ///< from 0 in each shard
};

/// Every device gets one band: targets[device] [block of the band][entry][lane]. own[owner], of the same shape, is
/// where it is packed; the other devices' are not used.
void broadcast_band(DeviceSet const& devices, ShardBand const& band, CylinderPlaces const& from,
                    std::vector<Cylinders> const& own, std::vector<Cylinders> const& targets,
                    Stream stream = Stream::compute);

/// Sums partial results of the devices' tree nodes in the order of the one tree of ViewGroups.
class NodeReduction {
 public:
  /// `views` says which nodes each device owns.
  explicit NodeReduction(Placement const& views);

  int num_nodes() const { return num_nodes_; }
  int num_nodes(int device) const { return static_cast<int>(nodes_[device].size()); }
  std::vector<TreeNode> const& nodes(int device) const { return nodes_[device]; }
  /// True on a single device: nothing has to be moved or added. (With one group of views, one of several devices owns
  /// the root, but the others still need its values.)
  bool trivial() const { return nodes_.size() == 1; }

  /// On each device t: result[t] = sum over all nodes of blocks ranges[t] of partials.
  ///   partials[d]  [node of d * num_blocks + block][position][lane], complete before the call
  ///   staging[t]   [node * ranges[t].size() + block][position][lane]; its first ranges[t].size() blocks become the
  ///                result. Where devices share a memory there is no need for more blocks than that.
  /// Devices with an empty range get nothing.
  void reduce(DeviceSet const& devices, int num_blocks, std::vector<Cylinders> const& partials,
              std::vector<Range> const& ranges, std::vector<Cylinders> const& staging,
              Stream stream = Stream::compute) const;

  /// The same, entries [block][entry][lane] of each device's shard of `blocks` going to places in `to`. `staging` is
  /// not needed where devices share a memory.
  void reduce_to_places(DeviceSet const& devices, SliceBlocks const& blocks, std::vector<Cylinders> const& partials,
                        CylinderPlaces const& to, std::vector<Cylinders> const& staging,
                        Stream stream = Stream::compute) const;

  /// The same of one band: partials[d] are [node of d * blocks of the band + block][entry][lane]. Only the owner needs
  /// staging [node * blocks of the band + block][entry][lane], and none is needed where devices share a memory.
  void reduce_band(DeviceSet const& devices, ShardBand const& band, std::vector<Cylinders> const& partials,
                   CylinderPlaces const& to, std::vector<Cylinders> const& staging,
                   Stream stream = Stream::compute) const;

 private:
  void collect(int t, ExecSpace const& exec, int num_blocks, std::vector<Cylinders> const& partials, Range range,
               Cylinders const& staging) const;
  void add_in_place(int t, ExecSpace const& exec, int num_blocks, std::vector<Cylinders> const& partials, Range range,
                    Array1<int const> const& positions, Cylinders const& out) const;

  std::vector<std::vector<TreeNode>> nodes_;
  int num_nodes_ = 0;
  std::vector<Array1<int const>> additions_;  // on each device: target, source, target, source ...
};

/// Boundary slices of neighbouring shards, [pixel] each, for the prior.
class Halo {
 public:
  Halo(Placement const& slices, Index num_pixels);

  /// Reads the boundary slices of all pixels from `volume`.
  void exchange(ShardedVolume const& volume) const;
  /// Reads them again for the listed pixels alone (`pixels[device]`, the same list on each device).
  void refresh(ShardedVolume const& volume, std::vector<Array1<int const>> const& pixels) const;

  /// Slice before the shard's first; empty where the volume ends or the shard holds nothing.
  Array1<Real const> below(int device) const { return below_[device]; }
  /// Slice after the shard's last real one; empty likewise.
  Array1<Real const> above(int device) const { return above_[device]; }

 private:
  Placement slices_;
  std::vector<Array1<Real>> below_, above_;  // what came from the neighbours
  std::vector<Array1<Real>> first_, last_;   // this shard's own boundary slices, contiguous
};

}  // namespace strata
