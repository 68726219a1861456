/// Counts what Kokkos allocates while a watch lives.
#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>

namespace strata::test {

/// Allocations and frees of Views, by any thread, since the construction. One at a time.
class AllocationWatch {
 public:
  AllocationWatch() {
    counts() = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(on_allocation);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(on_allocation);
  }
  ~AllocationWatch() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
  AllocationWatch(AllocationWatch const&) = delete;
  AllocationWatch& operator=(AllocationWatch const&) = delete;

  int count() const { return counts(); }

 private:
  static std::atomic<int>& counts() {
    static std::atomic<int> value{0};
    return value;
  }
  static void on_allocation(Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t) { ++counts(); }
};

}  // namespace strata::test
