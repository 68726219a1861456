#include "geometries/host_workspace.hpp"

#include <algorithm>
#include <string>

#include "core/placement/memory.hpp"
#include "geometries/lane_vector.hpp"

namespace strata::host_tiles {
namespace {

/// Rows of slots begin on cache lines of their own.
Index padded(Index size) {
  return (size + 15) / 16 * 16;
}

template <class A>
A slot_array(ExecSpace const& exec, std::string const& label, int threads, Index size) {
  return make_view<A>(exec, label, threads, padded(size));
}

}  // namespace

Workspace::Workspace(ExecSpace const& exec, ProjectorShape const& shape) {
  int const threads = exec.concurrency();
  int const num_blocks = shape.blocks.num_blocks();
  Index const lanes = shape.blocks.lanes;
  Index const task_blocks = std::min(num_blocks, max_task_blocks);
  counts_ = slot_array<Array2<int>>(exec, "strata::projector::counts", threads, sort_space(shape.num_channels));
  levels_ = slot_array<Array2<Real>>(exec, "strata::projector::levels", threads,
                                     (ViewGroups::max_levels + 1) * task_blocks * chunk_size * lanes);
  view_ = slot_array<Array2<Real>>(exec, "strata::projector::view", threads, num_blocks * shape.num_channels * lanes);
  rows_ = slot_array<Array2<double>>(exec, "strata::projector::rows", threads, num_blocks * lanes);
  // The sums of all groups, for subsets that are small against the plane; what does not fit takes the longer way.
  Index const wanted = Index(shape.groups.num_groups) * num_blocks * lanes * 4 * shape.num_channels;
  group_sums_ = make_view<Array1<Real>>(exec, "strata::projector::group_sums",
                                        std::min<Index>(wanted, max_group_sums / Index(sizeof(Real))));
  if (shape.blocks.num_slices <= LaneVector::width)
    direction_ = make_view<Array1<Real>>(exec, "strata::projector::direction",
                                         Index(shape.views.size()) * num_blocks * shape.num_channels * lanes);
}

Workspace::Slots Workspace::slots(ExecSpace const& exec) const {
  auto const size = [](auto const& array) { return static_cast<Index>(array.extent(1)); };
  return {Token(exec),   counts_.data(), levels_.data(), view_.data(), rows_.data(),
          size(counts_), size(levels_),  size(view_),    size(rows_)};
}

}  // namespace strata::host_tiles
