/// Allocation of device arrays. The only way Views come into being outside tests.
#pragma once

#include <string>

#include "core/base/types.hpp"

namespace strata {

/// Asks for large pages behind a host allocation; does nothing elsewhere.
void advise_large_pages(void* data, Index bytes);

/// The instance that make_view() allocates for on this thread; null elsewhere. Tells devices apart where they share a
/// memory, for tools that listen to allocations.
ExecSpace const* allocating_instance();

/// For make_view().
class AllocatingFor {
 public:
  explicit AllocatingFor(ExecSpace const& exec);
  ~AllocatingFor();
  AllocatingFor(AllocatingFor const&) = delete;
  AllocatingFor& operator=(AllocatingFor const&) = delete;
};

/// An uninitialised View on the device of `exec`.
template <class V, class... Extents>
V make_view(ExecSpace const& exec, std::string const& label, Extents... extents) {
  AllocatingFor const scope(exec);
  V view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), static_cast<std::size_t>(extents)...);
  advise_large_pages(view.data(), static_cast<Index>(view.span() * sizeof(typename V::value_type)));
  return view;
}

/// A View filled with zeros by `exec`.
template <class V, class... Extents>
V make_zero_view(ExecSpace const& exec, std::string const& label, Extents... extents) {
  V view = make_view<V>(exec, label, extents...);
  Kokkos::deep_copy(exec, view, typename V::value_type(0));
  return view;
}

}  // namespace strata
