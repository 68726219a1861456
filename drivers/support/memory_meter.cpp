#include "drivers/support/memory_meter.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <unordered_map>

#include "core/placement/collect.hpp"
#include "core/placement/memory.hpp"

namespace strata {
namespace {

using SpaceHandle = Kokkos::Tools::SpaceHandle;

struct Level {
  Index current = 0;
  Index peak = 0;

  void add(Index bytes) {
    current += bytes;
    peak = std::max(peak, current);
  }
};

/// An array, in equal parts of `bytes` on some devices.
struct Block {
  std::vector<std::size_t> devices;
  Index bytes;
};

/// Never destroyed: Kokkos frees arrays until the very end.
struct Meter {
  std::mutex mutex;
  Level all;
  std::vector<Level> devices = std::vector<Level>(1);
  std::weak_ptr<DeviceSet const> set;
  std::unordered_map<void const*, Block> blocks;
  Kokkos::Tools::Experimental::EventSet former;

  static Meter& instance() {
    static Meter* const meter = new Meter;
    return *meter;
  }

  std::size_t device_of(ExecSpace const& exec) const {
    auto const devices_now = set.lock();
    if (!devices_now) return 0;
    for (int const d : devices_now->local())
      if (devices_now->exec(d) == exec) return static_cast<std::size_t>(d);
    return 0;
  }

  Block block(std::span<ExecSpace const> instances, Index bytes) const {
    if (instances.empty()) return {{0}, bytes};
    Block block{{}, bytes / static_cast<Index>(instances.size())};
    for (ExecSpace const& exec : instances) block.devices.push_back(device_of(exec));
    return block;
  }

  void add(Block const& block, int sign) {
    for (std::size_t const device : block.devices) {
      all.add(sign * block.bytes);
      devices[device].add(sign * block.bytes);
    }
  }
};

void on_allocate(SpaceHandle space, char const* label, void const* data, std::uint64_t bytes) {
  Meter& meter = Meter::instance();
  constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Device::memory_space>::accessible;
  auto const instances = allocating_instances();
  if (std::strcmp(space.name, Device::memory_space::name()) == 0 && (!on_host || !instances.empty())) {
    std::lock_guard const lock(meter.mutex);
    Block const& block = meter.blocks[data] = meter.block(instances, static_cast<Index>(bytes));
    meter.add(block, +1);
  }
  if (meter.former.allocate_data != nullptr) meter.former.allocate_data(space, label, data, bytes);
}

void on_deallocate(SpaceHandle space, char const* label, void const* data, std::uint64_t bytes) {
  Meter& meter = Meter::instance();
  {
    std::lock_guard const lock(meter.mutex);
    auto const found = meter.blocks.find(data);
    if (found != meter.blocks.end()) {
      meter.add(found->second, -1);
      meter.blocks.erase(found);
    }
  }
  if (meter.former.deallocate_data != nullptr) meter.former.deallocate_data(space, label, data, bytes);
}

}  // namespace

void start_memory_meter() {
  auto const installed = Kokkos::Tools::Experimental::get_callbacks();
  if (installed.allocate_data == on_allocate) return;
  Meter::instance().former = installed;
  Kokkos::Tools::Experimental::set_allocate_data_callback(on_allocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(on_deallocate);
}

void meter_devices(Devices const& devices) {
  Meter& meter = Meter::instance();
  std::lock_guard const lock(meter.mutex);
  meter.set = devices;
  meter.devices.assign(static_cast<std::size_t>(devices->size()), {});
  for (auto& [data, block] : meter.blocks) std::ranges::fill(block.devices, 0);
  meter.devices[0] = {meter.all.current, meter.all.current};
}

void restart_memory_peaks() {
  Meter& meter = Meter::instance();
  std::lock_guard const lock(meter.mutex);
  meter.all.peak = meter.all.current;
  for (auto& device : meter.devices) device.peak = device.current;
  std::ofstream("/proc/self/clear_refs") << "5\n";
}

Index peak_device_bytes() {
  Meter& meter = Meter::instance();
  std::lock_guard const lock(meter.mutex);
  return meter.all.peak;
}

std::vector<Index> peak_bytes_by_device() {
  Meter& meter = Meter::instance();
  std::vector<Index> peaks;
  Devices devices;
  {
    std::lock_guard const lock(meter.mutex);
    for (auto const& device : meter.devices) peaks.push_back(device.peak);
    devices = meter.set.lock();
  }
  return devices ? collect_values(*devices, peaks) : peaks;
}

Index current_device_bytes() {
  Meter& meter = Meter::instance();
  std::lock_guard const lock(meter.mutex);
  return meter.all.current;
}

Index peak_host_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

Index available_host_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string line;
  while (std::getline(meminfo, line)) {
    std::istringstream words(line);
    std::string name;
    Index kilobytes = 0;
    if (words >> name >> kilobytes && name == "MemAvailable:") return kilobytes * 1024;
  }
  return std::numeric_limits<Index>::max();
}

Index current_host_bytes() {
  Index total = 0;
  Index resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace strata
