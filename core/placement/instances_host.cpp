#include <fstream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/placement/instances.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)

namespace strata {
namespace {

int num_threads() {
#ifdef KOKKOS_ENABLE_OPENMP
  return Kokkos::OpenMP().concurrency();
#else
  return 1;
#endif
}

ExecSpace make_exec(int threads, bool alone) {
#ifdef KOKKOS_ENABLE_OPENMP
  return alone ? Kokkos::OpenMP() : Kokkos::OpenMP(threads);
#else
  (void)threads;
  return alone ? Kokkos::Serial() : Kokkos::Serial(Kokkos::NewInstance{});
#endif
}

/// What follows `name` and a colon in a file of the kernel; empty when there is no such line.
std::string first_value(char const* file, std::string const& name) {
  std::ifstream lines(file);
  std::string line;
  while (std::getline(lines, line)) {
    auto const colon = line.find(':');
    if (line.rfind(name, 0) != 0 || colon == std::string::npos) continue;
    auto const begin = line.find_first_not_of(' ', colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

}  // namespace

int num_physical_devices() {
  return 1;
}
bool is_host_back_end() {
  return true;
}

char const* back_end_name() {
#ifdef KOKKOS_ENABLE_OPENMP
  return "OpenMP";
#else
  return "Serial";
#endif
}

std::vector<DeviceInstance> make_instances(std::vector<int> const& physical) {
  int const count = static_cast<int>(physical.size());
  int const share = num_threads() / count;
  int const threads = share > 1 ? share : 1;
  std::string const processor = first_value("/proc/cpuinfo", "model name");
  std::vector<DeviceInstance> instances;
  for (int d = 0; d < count; ++d)
    instances.push_back({nullptr, make_exec(threads, count == 1), 0, threads,
                         text(back_end_name(), " ", d, ": ", processor.empty() ? "host" : processor, ", ", threads,
                              threads == 1 ? " thread" : " threads")});
  return instances;
}

Index free_device_bytes(int) {
  std::istringstream words(first_value("/proc/meminfo", "MemAvailable"));
  Index kilobytes = 0;
  return words >> kilobytes ? kilobytes * 1024 : Index(1) << 34;
}

}  // namespace strata

#endif
