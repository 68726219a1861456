#include "geometries/separable_workspace.hpp"

#include <algorithm>

#include "core/placement/memory.hpp"

namespace strata::separable {
namespace {

/// Entries whose slices stay in the first-level cache together.
int entries_for(SeparableShape const& shape) {
  constexpr Index values = 4096;
  return static_cast<int>(std::clamp<Index>(values / shape.slice_lanes(), 4, max_entries));
}

/// Lines of neighbouring entries do not lie a power of two apart.
Index cells_size(Index slice_lanes) {
  return slice_lanes + 2 * guard + FanVector::width;
}

}  // namespace

Workspace::Workspace(ExecSpace const& exec, SeparableShape const& shape)
    : shape_(shape), num_entries_(entries_for(shape)) {
  int const threads = exec.concurrency();
  int const channels = shape.projector.num_channels;
  Index const slices = shape.slice_lanes(), rows = shape.row_lanes();
  int const vectors = std::max(shape.slice_vectors(), shape.row_vectors());
  Index const table = Index(num_entries_) * vectors * FanVector::width;
  Index const reals = table + num_entries_ * (cells_size(slices) + rows) + slices + 2 * cells_size(rows) +
                      (ViewGroups::max_levels + 1) * back_chunk * slices + channels * rows;
  // The guards must be 0, the rest need not.
  reals_ = make_zero_view<Array2<Real>>(exec, "strata::separable::reals", threads, reals);
  ints_ = make_view<Array2<int>>(exec, "strata::separable::ints", threads, (table + channels + 2 + 15) / 16 * 16);
  rows_ = make_view<Array2<double>>(exec, "strata::separable::rows", threads, rows);
  // The sums of all groups, for subsets that are small against the plane; what does not fit takes the longer way.
  Index const wanted = Index(shape.projector.groups.num_groups) * slices * 4 * channels;
  group_sums_ = make_view<Array1<Real>>(exec, "strata::separable::group_sums",
                                        std::min<Index>(wanted, max_group_sums / Index(sizeof(Real))));
  exec.fence("strata::separable::Workspace: zeros are used next");
}

Workspace::Slots Workspace::slots(ExecSpace const& exec) const {
  auto const size = [](auto const& array) { return static_cast<Index>(array.extent(1)); };
  return {Token(exec),
          reals_.data(),
          ints_.data(),
          rows_.data(),
          size(reals_),
          size(ints_),
          size(rows_),
          shape_.slice_lanes(),
          shape_.row_lanes(),
          num_entries_,
          std::max(shape_.slice_vectors(), shape_.row_vectors()),
          shape_.projector.num_channels};
}

Slot Workspace::Slots::slot(int index) const {
  Slot slot;
  slot.num_entries = num_entries;
  Real* real = reals + index * reals_size;
  int* whole = ints + index * ints_size;
  auto const take = [](auto*& from, Index size) {
    auto* const start = from;
    from += size;
    return start;
  };
  for (Real*& line : slot.lines) line = take(real, cells_size(row_lanes));
  Real* const slices = take(real, slice_lanes);
  for (int e = 0; e < num_entries; ++e) {
    Real* const cells = take(real, cells_size(slice_lanes));
    Real* const entry_rows = take(real, row_lanes);
    Real* const fractions = take(real, Index(num_vectors) * FanVector::width);
    slot.entries[e] = {cells, entry_rows, slices, {take(whole, Index(num_vectors) * FanVector::width), fractions}};
  }
  slot.levels = take(real, (ViewGroups::max_levels + 1) * back_chunk * slice_lanes);
  slot.view = take(real, num_channels * row_lanes);
  slot.counts = whole;
  slot.rows = rows + index * rows_size;
  return slot;
}

}  // namespace strata::separable
