#include "core/model/memory_plan.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "core/base/error.hpp"
#include "core/placement/sharded.hpp"

namespace strata {

MemoryPlan::MemoryPlan(Placement slices, Placement views, SinogramLayout layout, ReconShape recon)
    : slices_(std::move(slices)), views_(std::move(views)), layout_(layout), recon_(recon) {}

void MemoryPlan::add(std::string const& name, std::vector<Index> device_bytes) {
  items_.push_back({name, std::move(device_bytes)});
}

void MemoryPlan::add_volume(std::string const& name, int count) {
  add_subset(name, recon_.num_pixels(), count, false);
}

void MemoryPlan::add_sinogram(std::string const& name, int count) {
  Index const values = Index(views_.shard_size()) * layout_.rows.num_blocks() *
                       stored_channels(layout_.num_channels, layout_.rows.lanes) * layout_.rows.lanes;
  add(name, std::vector<Index>(slices_.num_devices(), count * values * Index(sizeof(Real))));
}

void MemoryPlan::add_subset(std::string const& name, Index entries, int count, bool all_blocks) {
  SliceBlocks const& blocks = slices_.blocks();
  Index const values = entries * (all_blocks ? blocks.num_blocks() : blocks.per_shard) * blocks.lanes;
  add(name, std::vector<Index>(slices_.num_devices(), count * values * Index(sizeof(Real))));
}

void MemoryPlan::add_host(std::string const& name, Index bytes) {
  host_items_.emplace_back(name, bytes);
}

Index MemoryPlan::device_bytes(int device) const {
  Index sum = 0;
  for (auto const& item : items_) sum += item.device_bytes[device];
  return sum;
}

std::vector<Index> MemoryPlan::device_bytes() const {
  std::vector<Index> bytes;
  for (int d = 0; d < slices_.num_devices(); ++d) bytes.push_back(device_bytes(d));
  return bytes;
}

Index MemoryPlan::host_bytes() const {
  Index sum = 0;
  for (auto const& [name, bytes] : host_items_) sum += bytes;
  return sum;
}

std::vector<std::string> MemoryPlan::lines() const {
  auto sorted = items_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto const& a, auto const& b) { return a.device_bytes[0] > b.device_bytes[0]; });
  std::vector<std::string> lines;
  for (auto const& item : sorted)
    lines.push_back(text("  ", item.name, ": ", readable_bytes(item.device_bytes[0]), " a device"));
  for (int d = 0; d < slices_.num_devices(); ++d)
    lines.push_back(text("device ", d, ": ", readable_bytes(device_bytes(d)), " of arrays"));
  for (auto const& [name, bytes] : host_items_) lines.push_back(text("  host, ", name, ": ", readable_bytes(bytes)));
  lines.push_back(text("host: ", readable_bytes(host_bytes()), " of buffers"));
  return lines;
}

void MemoryPlan::check(double limit_gb) const {
  for (int d = 0; d < slices_.num_devices(); ++d) {
    Index const limit = limit_gb > 0 ? static_cast<Index>(limit_gb * 1e9) : slices_.devices()->free_bytes(d);
    Index const needed = device_bytes(d);
    if (needed <= limit) continue;
    auto sorted = items_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [d](auto const& a, auto const& b) { return a.device_bytes[d] > b.device_bytes[d]; });
    std::ostringstream largest;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, sorted.size()); ++i)
      largest << (i ? ", " : "") << sorted[i].name << " " << readable_bytes(sorted[i].device_bytes[d]);
    throw MemoryError(text("device ", d, " needs ", readable_bytes(needed), " (", largest.str(), ") and ",
                           limit_gb > 0 ? "devices.memory_limit_gb allows " : "has ", readable_bytes(limit),
                           limit_gb > 0 ? "" : " free",
                           "; use more devices (devices.use), larger voxels (geometry.delta_voxel), or a finer first"
                           " partition (reconstruction.partition_sequence)"));
  }
}

std::string readable_bytes(Index bytes) {
  std::ostringstream stream;
  stream << std::fixed;
  if (bytes >= 100'000'000)
    stream << std::setprecision(2) << static_cast<double>(bytes) / 1e9 << " GB";
  else
    stream << std::setprecision(2) << static_cast<double>(bytes) / 1e6 << " MB";
  return stream.str();
}

}  // namespace strata
