#include "core/placement/node_sums.hpp"

#include "core/base/error.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

/// Lanes that are summed together: enough for vectors, few enough for the stack. Threads of a GPU have one lane each,
/// and neighbours neighbouring ones: what a thread has on its stack is reserved for all threads that a device can hold.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
constexpr int strip = 1;
constexpr bool one_strip_an_item = true;
#else
constexpr int strip = SliceBlocks::lane_step;
constexpr bool one_strip_an_item = false;
#endif

/// out[lane] = the sum over all nodes of one strip of lanes, from `offset` on.
KOKKOS_INLINE_FUNCTION void add_strip(Array1<int const> const& additions, NodeSources const& sources, Index offset,
                                      Real* out) {
  Real sums[ViewGroups::max_groups][strip];
  for (int n = 0; n < sources.count; ++n)
    for (int lane = 0; lane < strip; ++lane) sums[n][lane] = sources.data[n][offset + lane];
  for (int a = 0; a < additions.extent_int(0); a += 2) {
    int const target = additions(a), source = additions(a + 1);
    for (int lane = 0; lane < strip; ++lane) sums[target][lane] += sums[source][lane];
  }
  for (int lane = 0; lane < strip; ++lane) out[lane] = sums[0][lane];
}

/// The usual case: two devices, each with one node.
KOKKOS_INLINE_FUNCTION void add_two(NodeSources const& sources, Index offset, int lanes, Real* __restrict out) {
  Real const* __restrict const left = sources.data[0] + offset;
  Real const* __restrict const right = sources.data[1] + offset;
  for (int lane = 0; lane < lanes; ++lane) out[lane] = left[lane] + right[lane];
}

}  // namespace

void add_nodes(ExecSpace const& exec, Array1<int const> const& additions, Index size, Cylinders const& staging) {
  Real* const values = staging.data();
  int const count = additions.extent_int(0) / 2;
  Kokkos::parallel_for(
      "strata::add_nodes", FlatPolicy(exec, 0, size), KOKKOS_LAMBDA(Index i) {
        for (int a = 0; a < count; ++a) values[additions(2 * a) * size + i] += values[additions(2 * a + 1) * size + i];
      });
}

void add_node_sources(ExecSpace const& exec, Array1<int const> const& additions, NodeSources const& sources,
                      int entries, Array1<int const> const& positions, Cylinders const& out) {
  int const lanes = out.extent_int(2);
  ensure(lanes % strip == 0, "add_node_sources: ", lanes, " lanes are no multiple of ", strip);
  bool const listed = positions.extent(0) > 0;
  int const width = one_strip_an_item ? strip : lanes;
  Index const cylinders = Index(out.extent_int(0)) * entries;
  Kokkos::parallel_for(
      "strata::add_node_sources", FlatPolicy(exec, 0, cylinders * (lanes / width)), KOKKOS_LAMBDA(Index item) {
        Index const cylinder = item * width / lanes;
        int const entry = static_cast<int>(cylinder % entries);
        int const block = static_cast<int>(cylinder / entries);
        Real* const to = &out(block, listed ? positions(entry) : entry, static_cast<int>(item * width % lanes));
        if (sources.count == 2) return add_two(sources, item * width, width, to);
        for (int lane = 0; lane < width; lane += strip) add_strip(additions, sources, item * width + lane, to + lane);
      });
}

}  // namespace strata
