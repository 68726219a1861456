#include "geometries/host_workspace.hpp"

#include <algorithm>

#include "core/placement/memory.hpp"
#include "geometries/lane_vector.hpp"

namespace strata::host_tiles {
namespace {

/// Rows of slots begin on cache lines of their own.
Index padded(Index size) {
  return (size + 15) / 16 * 16;
}

/// Values of each array, one slot of those that have slots.
struct Sizes {
  Index counts, levels, view, rows, group_sums, direction;

  explicit Sizes(ProjectorShape const& shape) {
    int const num_blocks = shape.blocks.num_blocks();
    Index const lanes = shape.blocks.lanes;
    Index const task_blocks = std::min(num_blocks, Workspace::max_task_blocks);
    counts = padded(sort_space(shape.num_channels));
    levels = padded((ViewGroups::max_levels + 1) * task_blocks * chunk_size * lanes);
    view = padded(num_blocks * shape.num_channels * lanes);
    rows = padded(num_blocks * lanes);
    // The sums of the device's groups, for subsets that are small against the plane; what does not fit takes the longer
    // way.
    Index const own_groups = groups_in(shape.views, shape.groups).size();
    group_sums = std::min<Index>(own_groups * num_blocks * lanes * 4 * shape.num_channels,
                                 Workspace::max_group_sums / Index(sizeof(Real)));
    bool const keeps_direction = shape.blocks.num_slices <= LaneVector::width;
    direction = keeps_direction ? Index(shape.views.size()) * num_blocks * shape.num_channels * lanes : 0;
  }
};

}  // namespace

Workspace::Workspace(ExecSpace const& exec, ProjectorShape const& shape) {
  int const threads = exec.concurrency();
  Sizes const size(shape);
  counts_ = make_view<Array2<int>>(exec, "strata::projector::counts", threads, size.counts);
  levels_ = make_view<Array2<Real>>(exec, "strata::projector::levels", threads, size.levels);
  view_ = make_view<Array2<Real>>(exec, "strata::projector::view", threads, size.view);
  rows_ = make_view<Array2<double>>(exec, "strata::projector::rows", threads, size.rows);
  group_sums_ = make_view<Array1<Real>>(exec, "strata::projector::group_sums", size.group_sums);
  if (size.direction > 0) direction_ = make_view<Array1<Real>>(exec, "strata::projector::direction", size.direction);
}

Index Workspace::bytes(ExecSpace const& exec, ProjectorShape const& shape) {
  Sizes const size(shape);
  Index const slot = size.counts * Index(sizeof(int)) + (size.levels + size.view) * Index(sizeof(Real)) +
                     size.rows * Index(sizeof(double));
  return exec.concurrency() * slot + (size.group_sums + size.direction) * Index(sizeof(Real));
}

Workspace::Slots Workspace::slots(ExecSpace const& exec) const {
  auto const size = [](auto const& array) { return static_cast<Index>(array.extent(1)); };
  return {Token(exec),   counts_.data(), levels_.data(), view_.data(), rows_.data(),
          size(counts_), size(levels_),  size(view_),    size(rows_)};
}

}  // namespace strata::host_tiles
