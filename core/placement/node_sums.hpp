/// Kernels that add up partial sums of tree nodes.
#pragma once

#include "core/placement/band_buffer.hpp"
#include "core/placement/slice_blocks.hpp"
#include "core/placement/view_groups.hpp"

namespace strata {

/// values[i + target * size] += values[i + source * size] for each pair target, source of `additions`, in order.
void add_nodes(ExecSpace const& exec, Array1<int const> const& additions, Index size, Cylinders const& staging);

/// Where the partial sums of all nodes lie, left to right, [block][entry][lane] each, wherever they were made. For
/// devices that share a memory.
struct NodeSources {
  Kokkos::Array<Real const*, ViewGroups::max_groups> data;
  int count = 0;
};

/// As add_nodes(), without a copy: out[block][position of entry][lane] = sum of all nodes. `pixels` says where the
/// entry goes; empty: entry e to position e.
void add_node_sources(ExecSpace const& exec, Array1<int const> const& additions, NodeSources const& sources,
                      int entries, Array1<int const> const& positions, Cylinders const& out);

}  // namespace strata
