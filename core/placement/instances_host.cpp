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
  std::vector<DeviceInstance> instances;
  for (int d = 0; d < count; ++d)
    instances.push_back({nullptr, make_exec(threads, count == 1), 0, threads,
                         text(back_end_name(), " ", d, ": host, ", threads, threads == 1 ? " thread" : " threads")});
  return instances;
}

Index free_device_bytes(int) {
  std::ifstream meminfo("/proc/meminfo");
  std::string line;
  while (std::getline(meminfo, line)) {
    std::istringstream words(line);
    std::string name;
    Index kilobytes = 0;
    if (words >> name >> kilobytes && name == "MemAvailable:") return kilobytes * 1024;
  }
  return Index(1) << 34;
}

}  // namespace strata

#endif
