#include "core/placement/placement.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace strata {

Placement::Placement(Devices devices, Axis axis, int real_size)
    : devices_(std::move(devices)), axis_(axis), real_size_(real_size) {
  ensure(real_size > 0, "Placement: the sharded axis has length ", real_size);
}

Placement Placement::of_slices(Devices devices, int num_slices) {
  Placement placement(std::move(devices), Axis::slice, num_slices);
  placement.blocks_ = SliceBlocks(num_slices, placement.num_devices());
  placement.shard_size_ = placement.blocks_.shard_size;
  return placement;
}

Placement Placement::of_views(Devices devices, int num_views) {
  Placement placement(std::move(devices), Axis::view, num_views);
  placement.groups_ = ViewGroups(num_views);
  for (int d = 0; d < placement.num_devices(); ++d)
    placement.shard_size_ = std::max(placement.shard_size_, placement.owned(d).size());
  return placement;
}

Range Placement::owned_groups(int device) const {
  Index const n = groups_.num_groups;
  int const devices = num_devices();
  return {static_cast<int>(n * device / devices), static_cast<int>(n * (device + 1) / devices)};
}

Range Placement::owned(int device) const {
  if (axis_ == Axis::view) {
    Range const groups = owned_groups(device);
    return {groups_.begin(groups.begin), groups_.begin(groups.end)};
  }
  int const begin = std::min(device * shard_size_, real_size_);
  return {begin, std::min(begin + shard_size_, real_size_)};
}

std::vector<int> Placement::mask(int device) const {
  std::vector<int> mask(shard_size_, 0);
  std::fill_n(mask.begin(), owned(device).size(), 1);
  return mask;
}

}  // namespace strata
