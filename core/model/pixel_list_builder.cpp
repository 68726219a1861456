#include "core/model/pixel_list_builder.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/placement/memory.hpp"

namespace strata {
namespace {

/// The bits of `x` moved to even positions.
std::uint64_t spread(std::uint64_t x) {
  x = (x | (x << 16)) & 0x0000ffff0000ffffULL;
  x = (x | (x << 8)) & 0x00ff00ff00ff00ffULL;
  x = (x | (x << 4)) & 0x0f0f0f0f0f0f0f0fULL;
  x = (x | (x << 2)) & 0x3333333333333333ULL;
  return (x | (x << 1)) & 0x5555555555555555ULL;
}

template <class T>
Array1<T const> copy(ExecSpace const& exec, std::string const& label, std::vector<T> const& values) {
  auto const array = make_view<Array1<T>>(exec, label, values.size());
  Kokkos::View<T const*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(values.data(),
                                                                                                     values.size());
  Kokkos::deep_copy(exec, array, host);
  return array;
}

}  // namespace

std::vector<int> z_order(std::vector<int> indices, int num_cols) {
  ensure(num_cols > 0, "z_order: needs at least one column, got ", num_cols);
  std::vector<std::pair<std::uint64_t, int>> keyed(indices.size());
  for (std::size_t t = 0; t < indices.size(); ++t) {
    auto const row = static_cast<std::uint64_t>(indices[t] / num_cols);
    auto const col = static_cast<std::uint64_t>(indices[t] % num_cols);
    keyed[t] = {spread(row) << 1 | spread(col), indices[t]};
  }
  std::sort(keyed.begin(), keyed.end());
  std::transform(keyed.begin(), keyed.end(), indices.begin(), [](auto const& k) { return k.second; });
  return indices;
}

PixelList make_pixel_list(ExecSpace const& exec, std::vector<int> const& indices, int num_cols) {
  ensure(num_cols > 0, "make_pixel_list: needs at least one column, got ", num_cols);
  std::vector<Real> rows(indices.size()), cols(indices.size());
  for (std::size_t t = 0; t < indices.size(); ++t) {
    require(indices[t] >= 0, "make_pixel_list: expected pixel indices of at least 0, got ", indices[t]);
    rows[t] = static_cast<Real>(indices[t] / num_cols);
    cols[t] = static_cast<Real>(indices[t] % num_cols);
  }
  PixelList const list{copy(exec, "strata::pixel_list::index", indices), copy(exec, "strata::pixel_list::row", rows),
                       copy(exec, "strata::pixel_list::col", cols)};
  exec.fence("strata::make_pixel_list: the host's copies go out of scope");
  return list;
}

}  // namespace strata
