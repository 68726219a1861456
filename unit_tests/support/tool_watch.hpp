/// What Kokkos does while a watch lives, as its tools are told.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace strata::test {

/// Events of all threads. Kokkos adds fences of its own, "Kokkos::Tools::invoke_kokkosp_callback: ..", for the watch.
struct ToolEvents {
  std::multiset<std::string> kernels, fences;  ///< labels
  int allocations = 0, frees = 0;              ///< of Views
  int copies = 0;                              ///< from View to View: fills do not count
};

/// Listens from its construction to its end. One at a time.
class ToolWatch {
 public:
  ToolWatch() {
    log().events = {};
    namespace tools = Kokkos::Tools::Experimental;
    set_kernel_callbacks(on_kernel);
    tools::set_begin_fence_callback(on_fence);
    tools::set_allocate_data_callback(on_allocation);
    tools::set_deallocate_data_callback(on_free);
    tools::set_begin_deep_copy_callback(on_copy);
  }
  ~ToolWatch() {
    namespace tools = Kokkos::Tools::Experimental;
    set_kernel_callbacks(nullptr);
    tools::set_begin_fence_callback(nullptr);
    tools::set_allocate_data_callback(nullptr);
    tools::set_deallocate_data_callback(nullptr);
    tools::set_begin_deep_copy_callback(nullptr);
  }
  ToolWatch(ToolWatch const&) = delete;
  ToolWatch& operator=(ToolWatch const&) = delete;

  /// Of this watch or, when none lives, the last one.
  static ToolEvents const& events() { return log().events; }

 private:
  struct Log {
    std::mutex mutex;
    ToolEvents events;
  };
  static Log& log() {
    static Log instance;
    return instance;
  }
  template <class Change>
  static void note(Change const& change) {
    std::lock_guard const lock(log().mutex);
    change(log().events);
  }
  static void set_kernel_callbacks(Kokkos::Tools::beginFunction function) {
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(function);
    tools::set_begin_parallel_reduce_callback(function);
    tools::set_begin_parallel_scan_callback(function);
  }

  static void on_kernel(char const* label, std::uint32_t, std::uint64_t*) {
    note([&](ToolEvents& events) { events.kernels.insert(label); });
  }
  static void on_fence(char const* label, std::uint32_t, std::uint64_t*) {
    note([&](ToolEvents& events) { events.fences.insert(label); });
  }
  static void on_allocation(Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t) {
    note([](ToolEvents& events) { ++events.allocations; });
  }
  static void on_free(Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t) {
    note([](ToolEvents& events) { ++events.frees; });
  }
  static void on_copy(Kokkos::Tools::SpaceHandle, char const*, void const*, Kokkos::Tools::SpaceHandle,
                      char const* source, void const*, std::uint64_t) {
    if (std::string(source) != "(none)") note([](ToolEvents& events) { ++events.copies; });
  }
};

}  // namespace strata::test
