#include "drivers/support/memory_meter.hpp"

#include <sys/resource.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <string_view>

namespace strata {
namespace {

using SpaceHandle = Kokkos::Tools::SpaceHandle;

std::atomic<Index> current = 0;
std::atomic<Index> peak = 0;
Kokkos::Tools::Experimental::EventSet former;

bool is_counted(SpaceHandle const& space, char const* label) {
  if (std::strcmp(space.name, Device::memory_space::name()) != 0) return false;
  bool const on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Device::memory_space>::accessible;
  return !on_host || std::string_view(label).starts_with("strata::");
}

void on_allocate(SpaceHandle space, char const* label, void const* data, std::uint64_t bytes) {
  if (is_counted(space, label)) {
    Index const now = current += static_cast<Index>(bytes);
    Index seen = peak;
    while (now > seen && !peak.compare_exchange_weak(seen, now)) {
    }
  }
  if (former.allocate_data != nullptr) former.allocate_data(space, label, data, bytes);
}

void on_deallocate(SpaceHandle space, char const* label, void const* data, std::uint64_t bytes) {
  if (is_counted(space, label)) current -= static_cast<Index>(bytes);
  if (former.deallocate_data != nullptr) former.deallocate_data(space, label, data, bytes);
}

}  // namespace

void start_memory_meter() {
  auto const installed = Kokkos::Tools::Experimental::get_callbacks();
  if (installed.allocate_data == on_allocate) return;
  former = installed;
  Kokkos::Tools::Experimental::set_allocate_data_callback(on_allocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(on_deallocate);
}

void restart_memory_peaks() {
  peak = current.load();
  std::ofstream("/proc/self/clear_refs") << "5\n";
}

Index peak_device_bytes() {
  return peak;
}

Index current_device_bytes() {
  return current;
}

Index peak_host_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

}  // namespace strata
