/// Arrays that are spread over the devices of a placement.
#pragma once

#include <string>
#include <vector>

#include "core/placement/memory.hpp"
#include "core/placement/placement.hpp"

namespace strata {

/// One View on each device of this process, an empty one for others, and the placement that says what it holds. Copies
/// share the data, as Views do.
template <class V>
struct Sharded {
  Placement placement;
  std::vector<V> shards;
  /// All shards, one after the other, where they lie so in one memory: any device may then read all of it. Else empty.
  V whole = {};

  int num_devices() const { return static_cast<int>(shards.size()); }
  V const& operator[](int device) const { return shards[device]; }
};

/// Shards [block of the shard][pixel][lane].
using ShardedVolume = Sharded<Cylinders>;
/// Shards [view of the shard][row block][channel][lane].
using ShardedSinogram = Sharded<Sinogram>;

/// Whether make_volume() makes one array of all shards.
bool volumes_are_whole(DeviceSet const& devices);

/// A volume of zeros with `num_pixels` cylinders.
ShardedVolume make_volume(Placement const& slices, Index num_pixels, std::string const& label);

/// A sinogram of zeros; detector rows are stored as `rows` says. The channel axis may get a padding entry so that
/// views do not lie a power of two apart.
ShardedSinogram make_sinogram(Placement const& views, SliceBlocks const& rows, int num_channels,
                              std::string const& label);

/// Channels a shard stores for `num_channels` real ones.
int stored_channels(int num_channels, int lanes);

/// Copies shard by shard; the placements must be equal.
void copy(ShardedVolume const& from, ShardedVolume const& to);
void copy(ShardedSinogram const& from, ShardedSinogram const& to);

}  // namespace strata
