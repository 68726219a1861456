/// What a run will allocate, known before anything is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/model/exchange_plan.hpp"
#include "core/model/shapes.hpp"
#include "core/placement/placement.hpp"
#include "core/placement/sinogram_layout.hpp"

namespace strata {

/// One array or group of arrays.
struct MemoryItem {
  std::string name;
  std::vector<Index> device_bytes;
  Index host_bytes = 0;
  int stage = 0;  ///< 0: the whole run
};

/// Arrays by the time they live: for the whole run, or during one of its stages. What a device needs is what lives for
/// the whole run and the largest stage. Reads placements alone, and goes over the devices of all processes.
class MemoryPlan {
 public:
  MemoryPlan(Placement slices, Placement views, SinogramLayout layout, ReconShape recon);

  /// What is added from now on lives while the run does `name`, for example "reading", alone.
  void begin_stage(std::string const& name);
  /// What is added from now on lives for the whole run, as at first.
  void end_stage() { stage_ = 0; }

  /// A whole volume, a whole sinogram, or anything else.
  void add_volume(std::string const& name, int count = 1);
  void add_sinogram(std::string const& name, int count = 1, int more_channels = 0);
  void add(std::string const& name, std::vector<Index> device_bytes);
  /// The same on every device.
  void add_on_each(std::string const& name, Index bytes);
  /// Compact cylinders of a subset, own blocks (`all_blocks`: all of them).
  void add_subset(std::string const& name, Index entries, int count, bool all_blocks);
  void add_pixel_lists(std::string const& name, Index entries);
  /// The parts in which an array of `size` entries of `values_per_entry` values is read or written.
  void add_staging(std::string const& name, int size, Index values_per_entry);
  void add_volume_staging();
  void add_sinogram_staging();
  /// Arrays that limits may shorten: bytes(most) [device] where the fullest device may take `most` bytes for what it
  /// exchanges at a time, 0 for the usual length. fit() chooses.
  void add_exchanged(std::string const& name, std::function<std::vector<Index>(Index)> bytes);
  /// The buffers of projections on several devices.
  void add_exchange(std::string const& name);
  void add_host(std::string const& name, Index bytes);

  /// Makes exchanges as long as `limits` [device], bytes, allow. Otherwise they have their usual length.
  void fit(std::vector<Index> const& limits);
  /// How projections exchange volumes between the devices, in words; empty where they do not.
  std::string exchange_line() const;
  /// For TomographyModel, and for VCDOptions::max_exchange_bytes: 0 for the usual length.
  Index exchange_bytes() const;
  Index subset_exchange_bytes() const { return most_exchanged_; }

  Placement const& slices() const { return slices_; }
  Placement const& views() const { return views_; }
  SinogramLayout const& layout() const { return layout_; }
  ReconShape const& recon() const { return recon_; }
  Index device_bytes(int device) const;
  std::vector<Index> device_bytes() const;
  /// Buffers on the host, and where devices use the host's memory, their arrays.
  Index host_bytes() const;
  std::vector<MemoryItem> const& items() const { return items_; }
  /// A readable table: what lives for the whole run, then stage by stage, largest first.
  std::vector<std::string> lines() const;
  /// \throws MemoryError when a device needs more than its limit; names the largest arrays and what to turn. `given`:
  /// the limits come from devices.memory_limit_gb.
  void check(std::vector<Index> const& limits, bool given) const;
  /// \throws MemoryError when the host needs more than `available` bytes.
  void check_host(Index available) const;

 private:
  void exchange_at_most(Index bytes);
  /// By how much the fullest device is above its limit.
  Index excess(std::vector<Index> const& limits) const;
  Index stage_bytes(int stage, int device) const;
  Index stage_host_bytes(int stage) const;
  /// The stage, not 0, in which `device` holds most; 0 without stages.
  int fullest_stage(int device) const;
  struct Largest {
    std::string arrays;    ///< the largest ones and their bytes
    std::string remedies;  ///< what makes them smaller
  };
  Largest largest(int device, int stage) const;

  Placement slices_;
  Placement views_;
  SinogramLayout layout_;
  ReconShape recon_;
  std::vector<std::string> stages_{""};
  int stage_ = 0;
  std::vector<MemoryItem> items_;
  struct Exchanged {
    std::size_t item;
    std::function<std::vector<Index>(Index)> bytes;
  };
  std::vector<Exchanged> exchanges_;
  Index most_exchanged_ = 0;  // 0: the usual
  bool has_exchange_ = false;
};

/// For example `1.25 GB`.
std::string readable_bytes(Index bytes);

}  // namespace strata
