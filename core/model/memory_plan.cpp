#include "core/model/memory_plan.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>

#include "core/base/error.hpp"
#include "core/placement/exchange_host.hpp"
#include "core/placement/sharded.hpp"

namespace strata {
namespace {

constexpr bool devices_use_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Device::memory_space>::accessible;

Index fullest(MemoryItem const& item) {
  return item.device_bytes.empty() ? 0 : *std::max_element(item.device_bytes.begin(), item.device_bytes.end());
}

/// What the user can do about an array.
std::string remedy(std::string const& name) {
  auto const about = [&](char const* word) { return name.find(word) != std::string::npos; };
  if (about("acceleration")) return "plain passes (reconstruction.acceleration: none)";
  if (about("subset") || about("direction")) return "a finer first partition (reconstruction.partition_sequence)";
  if (about("sinogram") || about("weights") || about("error")) return "fewer views, rows or channels (preprocess)";
  return "fewer or larger voxels (geometry.recon_shape, geometry.delta_voxel)";
}

}  // namespace

MemoryPlan::MemoryPlan(Placement slices, Placement views, SinogramLayout layout, ReconShape recon)
    : slices_(std::move(slices)), views_(std::move(views)), layout_(layout), recon_(recon) {}

void MemoryPlan::begin_stage(std::string const& name) {
  stage_ = static_cast<int>(stages_.size());
  stages_.push_back(name);
}

void MemoryPlan::add(std::string const& name, std::vector<Index> device_bytes) {
  items_.push_back({name, std::move(device_bytes), 0, stage_});
}

void MemoryPlan::add_on_each(std::string const& name, Index bytes) {
  add(name, std::vector<Index>(slices_.num_devices(), bytes));
}

void MemoryPlan::add_volume(std::string const& name, int count) {
  add_subset(name, recon_.num_pixels(), count, false);
}

void MemoryPlan::add_sinogram(std::string const& name, int count, int more_channels) {
  Index const values = Index(views_.shard_size()) * layout_.rows.num_blocks() *
                       stored_channels(layout_.num_channels + more_channels, layout_.rows.lanes) * layout_.rows.lanes;
  add_on_each(name, count * values * Index(sizeof(Real)));
}

void MemoryPlan::add_subset(std::string const& name, Index entries, int count, bool all_blocks) {
  SliceBlocks const& blocks = slices_.blocks();
  Index const values = entries * (all_blocks ? blocks.num_blocks() : blocks.per_shard) * blocks.lanes;
  add_on_each(name, count * values * Index(sizeof(Real)));
}

void MemoryPlan::add_pixel_lists(std::string const& name, Index entries) {
  add_on_each(name, entries * Index(sizeof(int) + 2 * sizeof(Real)));
}

void MemoryPlan::add_staging(std::string const& name, int size, Index values_per_entry) {
  int const devices = slices_.num_devices();
  Index const part = part_length(size, values_per_entry, devices) * values_per_entry * Index(sizeof(Real));
  add_on_each(name, part);
  items_.back().host_bytes = part * (1 + devices);
}

void MemoryPlan::add_volume_staging() {
  add_staging("parts of a volume for its file", recon_.num_rows, Index(recon_.num_cols) * recon_.num_slices);
}

void MemoryPlan::add_sinogram_staging() {
  add_staging("parts of a sinogram for its file", views_.real_size(),
              Index(layout_.rows.num_slices) * layout_.num_channels);
}

void MemoryPlan::add_exchanged(std::string const& name, std::function<std::vector<Index>(Index)> bytes) {
  add(name, bytes(most_exchanged_));
  exchanges_.push_back({items_.size() - 1, std::move(bytes)});
}

void MemoryPlan::add_exchange(std::string const& name) {
  if (slices_.num_devices() == 1) return;
  has_exchange_ = true;
  add_exchanged(name, [slices = slices_, views = views_, pixels = recon_.num_pixels()](Index most) {
    Index const usual = ExchangePlan::usual_bytes(slices, pixels);
    return ExchangePlan(slices, views, pixels, most > 0 ? std::min(most, usual) : 0).device_bytes();
  });
}

std::string MemoryPlan::exchange_line() const {
  if (!has_exchange_) return "";
  using Way = ExchangePlan::Way;
  auto const pixels = static_cast<int>(recon_.num_pixels());
  ExchangePlan const plan(slices_, views_, pixels, exchange_bytes());
  auto const band = [&](Way way) {
    auto const first = plan.bands(way, pixels).front();
    return text(first.shard.blocks.size(), " of ", slices_.blocks().per_shard, " blocks x ", first.pixels.size(),
                " pixels");
  };
  DeviceSet const& devices = *slices_.devices();
  bool const forward = forward_has_bands(devices, layout_);
  return text("exchange: ", name_of(devices.exchange()), "; cylinders of ", std::min(plan.batch(), pixels),
              " pixels, bands of ", band(Way::back), forward ? " back, " + band(Way::forward) + " forward" : "");
}

Index MemoryPlan::exchange_bytes() const {
  if (most_exchanged_ == 0) return 0;
  return std::max<Index>(std::min(most_exchanged_, ExchangePlan::usual_bytes(slices_, recon_.num_pixels())), 1);
}

void MemoryPlan::add_host(std::string const& name, Index bytes) {
  items_.push_back({name, {}, bytes, stage_});
}

void MemoryPlan::exchange_at_most(Index bytes) {
  most_exchanged_ = bytes;
  for (auto const& exchanged : exchanges_) items_[exchanged.item].device_bytes = exchanged.bytes(bytes);
}

Index MemoryPlan::excess(std::vector<Index> const& limits) const {
  Index most = std::numeric_limits<Index>::min();
  for (int d = 0; d < slices_.num_devices(); ++d) most = std::max(most, device_bytes(d) - limits[d]);
  return most;
}

void MemoryPlan::fit(std::vector<Index> const& limits) {
  if (exchanges_.empty() || excess(limits) <= 0) return;
  // Shorter chunks of subsets may need more of other arrays, so it is not the shortest that takes least.
  std::vector<Index> lengths;
  for (Index bytes = recon_.num_pixels() * slices_.blocks().per_shard * slices_.blocks().lanes; bytes > 1;
       bytes = bytes / 8 * 7)
    lengths.push_back(bytes);
  lengths.push_back(1);
  Index least = excess(limits), best = 0;
  for (Index const bytes : lengths) {
    exchange_at_most(bytes);
    if (Index const now = excess(limits); now < least) {
      least = now;
      best = bytes;
    }
    if (least <= 0) return;
  }
  exchange_at_most(best);
}

Index MemoryPlan::stage_bytes(int stage, int device) const {
  Index sum = 0;
  for (auto const& item : items_)
    if (item.stage == stage && !item.device_bytes.empty()) sum += item.device_bytes[device];
  return sum;
}

Index MemoryPlan::stage_host_bytes(int stage) const {
  Index sum = 0;
  for (auto const& item : items_)
    if (item.stage == stage) sum += item.host_bytes;
  for (int d = 0; devices_use_host && d < slices_.num_devices(); ++d) sum += stage_bytes(stage, d);
  return sum;
}

int MemoryPlan::fullest_stage(int device) const {
  int found = stages_.size() > 1 ? 1 : 0;
  for (int s = 2; s < static_cast<int>(stages_.size()); ++s)
    if (stage_bytes(s, device) > stage_bytes(found, device)) found = s;
  return found;
}

Index MemoryPlan::device_bytes(int device) const {
  int const stage = fullest_stage(device);
  return stage_bytes(0, device) + (stage > 0 ? stage_bytes(stage, device) : 0);
}

std::vector<Index> MemoryPlan::device_bytes() const {
  std::vector<Index> bytes;
  for (int d = 0; d < slices_.num_devices(); ++d) bytes.push_back(device_bytes(d));
  return bytes;
}

Index MemoryPlan::host_bytes() const {
  Index most = 0;
  for (int s = 1; s < static_cast<int>(stages_.size()); ++s) most = std::max(most, stage_host_bytes(s));
  return stage_host_bytes(0) + most;
}

std::vector<std::string> MemoryPlan::lines() const {
  std::vector<std::string> lines{text("memory, estimated", devices_use_host ? " (devices use the host's)" : "", ":")};
  auto sorted = items_;
  std::stable_sort(sorted.begin(), sorted.end(), [](auto const& a, auto const& b) { return fullest(a) > fullest(b); });
  for (int s = 0; s < static_cast<int>(stages_.size()); ++s) {
    if (s > 0) lines.push_back(text("  while ", stages_[s], ":"));
    for (auto const& item : sorted) {
      if (item.stage != s) continue;
      std::string line = text(s > 0 ? "    " : "  ", item.name, ": ");
      if (fullest(item) > 0) line += text(readable_bytes(fullest(item)), " a device");
      if (item.host_bytes > 0)
        line += text(fullest(item) > 0 ? ", " : "", readable_bytes(item.host_bytes), " on the host");
      if (fullest(item) > 0 || item.host_bytes > 0) lines.push_back(line);
    }
  }
  for (int d = 0; d < slices_.num_devices(); ++d) {
    int const stage = fullest_stage(d);
    lines.push_back(text("device ", d, ": ", readable_bytes(device_bytes(d)), " of arrays",
                         stage > 0 ? ", most while " + stages_[stage] : ""));
  }
  lines.push_back(text("host: ", readable_bytes(host_bytes()),
                       devices_use_host ? " of buffers and the devices' arrays" : " of buffers"));
  return lines;
}

MemoryPlan::Largest MemoryPlan::largest(int device, int stage) const {
  std::vector<MemoryItem const*> sorted;
  for (auto const& item : items_)
    if (!item.device_bytes.empty() && (item.stage == 0 || item.stage == stage)) sorted.push_back(&item);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [d = device](auto const* a, auto const* b) { return a->device_bytes[d] > b->device_bytes[d]; });
  sorted.resize(std::min<std::size_t>(3, sorted.size()));
  std::vector<std::string> names, remedies;
  for (auto const* item : sorted) {
    names.push_back(item->name + " " + readable_bytes(item->device_bytes[device]));
    auto const what = remedy(item->name);
    if (std::find(remedies.begin(), remedies.end(), what) == remedies.end()) remedies.push_back(what);
  }
  return {joined(names), joined(remedies)};
}

void MemoryPlan::check(std::vector<Index> const& limits, bool given) const {
  for (int d = 0; d < slices_.num_devices(); ++d) {
    Index const needed = device_bytes(d);
    if (needed <= limits[d]) continue;
    Largest const found = largest(d, fullest_stage(d));
    throw MemoryError(text("device ", d, " needs ", readable_bytes(needed), " (", found.arrays, ") and ",
                           given ? "devices.memory_limit_gb allows " : "has ", readable_bytes(limits[d]),
                           given ? "" : " free", "; use more devices (devices.use), ", found.remedies));
  }
}

void MemoryPlan::check_host(Index available) const {
  if (host_bytes() <= available) return;
  Largest const found = largest(0, fullest_stage(0));
  throw MemoryError(text("the host needs ", readable_bytes(host_bytes()), " (on each device ", found.arrays,
                         ") and has ", readable_bytes(available), " available; use ", found.remedies));
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
