/// Allocation of device arrays. The only way Views come into being outside tests.
#pragma once

#include <span>
#include <string>

#include "core/base/types.hpp"

namespace strata {

/// Asks for large pages behind a host allocation; does nothing elsewhere.
void advise_large_pages(void* data, Index bytes);

/// The instances that make_view() allocates for on this thread, in equal parts; none elsewhere. Tells devices apart
/// where they share a memory, for tools that listen to allocations.
std::span<ExecSpace const> allocating_instances();

/// For make_view(), and for arrays of several devices. `instances` must outlive it.
class AllocatingFor {
 public:
  explicit AllocatingFor(std::span<ExecSpace const> instances);
  ~AllocatingFor();
  AllocatingFor(AllocatingFor const&) = delete;
  AllocatingFor& operator=(AllocatingFor const&) = delete;
};

/// An uninitialised View on the devices of `instances`, which share a memory.
template <class V, class... Extents>
V make_common_view(std::span<ExecSpace const> instances, std::string const& label, Extents... extents) {
  AllocatingFor const scope(instances);
  V view(Kokkos::view_alloc(instances.front(), Kokkos::WithoutInitializing, label),
         static_cast<std::size_t>(extents)...);
  advise_large_pages(view.data(), static_cast<Index>(view.span() * sizeof(typename V::value_type)));
  return view;
}

/// An uninitialised View on the device of `exec`.
template <class V, class... Extents>
V make_view(ExecSpace const& exec, std::string const& label, Extents... extents) {
  return make_common_view<V>(std::span(&exec, 1), label, extents...);
}

/// A View filled with zeros by `exec`.
template <class V, class... Extents>
V make_zero_view(ExecSpace const& exec, std::string const& label, Extents... extents) {
  V view = make_view<V>(exec, label, extents...);
  Kokkos::deep_copy(exec, view, typename V::value_type(0));
  return view;
}

}  // namespace strata
