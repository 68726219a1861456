/// The single source of layout: which device owns which part of an axis.
#pragma once

#include "core/placement/device_set.hpp"
#include "core/placement/slice_blocks.hpp"
#include "core/placement/view_groups.hpp"

namespace strata {

enum class Axis { slice, view };

/// Immutable. The slice axis is cut into equal shares, padded to a multiple of the device count; the view axis is cut
/// on boundaries of view groups, so that sums over views do not depend on the device count.
class Placement {
 public:
  static Placement of_slices(Devices devices, int num_slices);
  static Placement of_views(Devices devices, int num_views);

  Devices const& devices() const { return devices_; }
  int num_devices() const { return devices_->size(); }
  Axis axis() const { return axis_; }
  int real_size() const { return real_size_; }
  /// Entries that every shard has room for.
  int shard_size() const { return shard_size_; }
  int padded_size() const { return shard_size_ * num_devices(); }
  /// Real entries of `device`, in global numbers; may be empty.
  Range owned(int device) const;
  /// 1 for real, 0 for padded entries of `device`'s shard, shard_size() of them.
  std::vector<int> mask(int device) const;

  /// Slice axis only: the blocks.
  SliceBlocks const& blocks() const { return blocks_; }
  /// View axis only: the groups, and those of `device`.
  ViewGroups const& groups() const { return groups_; }
  Range owned_groups(int device) const;

 private:
  Placement(Devices devices, Axis axis, int real_size);
  Devices devices_;
  Axis axis_;
  int real_size_;
  int shard_size_ = 0;
  SliceBlocks blocks_;
  ViewGroups groups_;
};

}  // namespace strata
