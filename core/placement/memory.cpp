#include "core/placement/memory.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "core/placement/instances.hpp"

namespace strata {
namespace {

thread_local std::span<ExecSpace const> allocating;

}  // namespace

std::span<ExecSpace const> allocating_instances() {
  return allocating;
}

AllocatingFor::AllocatingFor(std::span<ExecSpace const> instances) {
  allocating = instances;
}

AllocatingFor::~AllocatingFor() {
  allocating = {};
}

void advise_large_pages([[maybe_unused]] void* data, [[maybe_unused]] Index bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 4096;
  constexpr Index worthwhile = Index(4) << 20;
  if (!is_host_back_end() || bytes < worthwhile) return;
  auto const begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  auto const end = (reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(bytes)) / page * page;
  // Advice only: without large pages everything works, slower.
  (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace strata
