#include "drivers/support/runtime.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "core/base/log.hpp"
#include "drivers/support/memory_meter.hpp"

namespace strata {
namespace {

Kokkos::InitializationSettings quiet_settings() {
  // Kokkos recommends binding when the variable is missing.
  setenv("OMP_PROC_BIND", "false", 1);
  return {};
}

#if defined(_OPENMP)

bool bound_by_environment() {
  if (omp_get_proc_bind() == omp_proc_bind_false) return false;
  char const* const value = std::getenv("OMP_PROC_BIND");
  return value == nullptr || std::string_view(value) != "false";  // never twice
}

/// Gives the calling thread all processors that the binding would have handed out.
void allow_all_places() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    for (int const id : ids) CPU_SET(static_cast<std::size_t>(id), &processors);
  }
  if (CPU_COUNT(&processors) > 0) sched_setaffinity(0, sizeof(processors), &processors);
}

#endif

}  // namespace

void unbind_threads([[maybe_unused]] char** argv) {
#if defined(_OPENMP)
  if (!bound_by_environment()) return;
  allow_all_places();
  setenv("OMP_PROC_BIND", "false", 1);
  unsetenv("OMP_PLACES");
  unsetenv("GOMP_CPU_AFFINITY");
  execv("/proc/self/exe", argv);
  log::warn("OMP_PROC_BIND is set and the program cannot start itself again without it: several devices on this host ",
            "will share one core");
#endif
}

KokkosRuntime::KokkosRuntime() : guard_(quiet_settings()) {
  start_memory_meter();
}

}  // namespace strata
