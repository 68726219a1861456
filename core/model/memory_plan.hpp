/// What a run will allocate, known before anything is.
#pragma once

#include <string>
#include <vector>

#include "core/model/shapes.hpp"
#include "core/placement/placement.hpp"
#include "core/placement/sinogram_layout.hpp"

namespace strata {

/// One array or group of arrays: bytes on each device.
struct MemoryItem {
  std::string name;
  std::vector<Index> device_bytes;
};

class MemoryPlan {
 public:
  MemoryPlan(Placement slices, Placement views, SinogramLayout layout, ReconShape recon);

  /// A whole volume, a whole sinogram, or anything else.
  void add_volume(std::string const& name, int count = 1);
  void add_sinogram(std::string const& name, int count = 1);
  void add(std::string const& name, std::vector<Index> device_bytes);
  /// Compact cylinders of a subset, own blocks (`all_blocks`: all of them).
  void add_subset(std::string const& name, Index entries, int count, bool all_blocks);
  void add_host(std::string const& name, Index bytes);

  Placement const& slices() const { return slices_; }
  Placement const& views() const { return views_; }
  Index device_bytes(int device) const;
  std::vector<Index> device_bytes() const;
  Index host_bytes() const;
  std::vector<MemoryItem> const& items() const { return items_; }
  /// A readable table, largest first.
  std::vector<std::string> lines() const;
  /// \throws MemoryError when a device needs more than its limit; names the largest arrays and what to turn.
  /// `limit_gb` <= 0: what is free on the device.
  void check(double limit_gb) const;

 private:
  Placement slices_;
  Placement views_;
  SinogramLayout layout_;
  ReconShape recon_;
  std::vector<MemoryItem> items_;
  std::vector<std::pair<std::string, Index>> host_items_;
};

/// For example `1.25 GB`.
std::string readable_bytes(Index bytes);

}  // namespace strata
