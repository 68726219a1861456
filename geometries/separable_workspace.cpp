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

/// Values of each array, one slot of those that have slots.
struct Sizes {
  Index reals, ints, rows, group_sums, direction;

  explicit Sizes(SeparableShape const& shape) {
    Index const channels = shape.projector.num_channels;
    Index const slices = shape.slice_lanes(), row_lanes = shape.row_lanes(), entries = entries_for(shape);
    int const vectors = std::max(shape.slice_vectors(), shape.row_vectors());
    Index const table = entries * vectors * FanVector::width;
    reals = table + entries * (cells_size(slices) + row_lanes) + slices + 4 * cells_size(row_lanes) +
            (ViewGroups::max_levels + 1) * back_chunk * slices + (channels + 1) * row_lanes;
    ints = (table + channels + 2 + 15) / 16 * 16;
    rows = row_lanes;
    // The sums of the device's groups, for subsets that are small against the plane; what does not fit takes the longer
    // way.
    Index const own_groups = groups_in(shape.projector.views, shape.projector.groups).size();
    group_sums = std::min<Index>(own_groups * slices * 4 * channels, Workspace::max_group_sums / Index(sizeof(Real)));
    direction = shape.projector.views.size() * channels * row_lanes;
    if (direction > Workspace::max_direction / Index(sizeof(Real))) direction = 0;
  }
};

}  // namespace

Workspace::Workspace(ExecSpace const& exec, SeparableShape const& shape)
    : shape_(shape), num_entries_(entries_for(shape)) {
  int const threads = exec.concurrency();
  Sizes const size(shape);
  // The guards must be 0, the rest need not.
  reals_ = make_zero_view<Array2<Real>>(exec, "strata::separable::reals", threads, size.reals);
  ints_ = make_view<Array2<int>>(exec, "strata::separable::ints", threads, size.ints);
  rows_ = make_view<Array2<double>>(exec, "strata::separable::rows", threads, size.rows);
  group_sums_ = make_view<Array1<Real>>(exec, "strata::separable::group_sums", size.group_sums);
  direction_ = make_view<Array1<Real>>(exec, "strata::separable::direction", size.direction);
  exec.fence("strata::separable::Workspace: zeros are used next");
}

Index Workspace::bytes(ExecSpace const& exec, SeparableShape const& shape) {
  Sizes const size(shape);
  Index const slot =
      size.reals * Index(sizeof(Real)) + size.ints * Index(sizeof(int)) + size.rows * Index(sizeof(double));
  return exec.concurrency() * slot + (size.group_sums + size.direction) * Index(sizeof(Real));
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
  slot.squares = take(real, row_lanes);
  slot.counts = whole;
  slot.rows = rows + index * rows_size;
  return slot;
}

}  // namespace strata::separable
