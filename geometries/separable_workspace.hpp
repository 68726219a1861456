/// Memory of the kernels of geometries that couple slices, allocated once per projector. Host only.
#pragma once

#include "geometries/projector_arrays.hpp"
#include "geometries/separable_fan.hpp"

namespace strata::separable {

/// Pixels that a forward task and a back projection task handle together: 16 x 16, 8 x 8 in Z order.
constexpr int forward_chunk = 256;
static_assert(CylinderBand::part_alignment % forward_chunk == 0, "parts of a list end where chunks end");
constexpr int back_chunk = 128;
/// Cylinders of one channel that are projected together, at most.
constexpr int max_entries = 16;

/// Constant over a projector's life.
struct SeparableShape {
  ProjectorShape projector;
  CylinderShape cylinder;
  int slice_vectors() const { return vectors_of(cylinder.num_slices); }
  int row_vectors() const { return vectors_of(cylinder.num_rows); }
  Index slice_lanes() const { return Index(slice_vectors()) * FanVector::width; }
  Index row_lanes() const { return Index(row_vectors()) * FanVector::width; }
};

/// Memory of one task.
struct Slot {
  int num_entries;
  EntryMemory entries[max_entries];
  Real* lines[4];  ///< [guard + rows + guard], guards are 0
  Real* levels;    ///< [ViewGroups::max_levels + 1][back_chunk][slices]
  Real* view;      ///< [channel][row]
  Real* squares;   ///< [row]
  double* rows;    ///< [row]
  int* counts;     ///< [channel + 2]
};

class Workspace {
 public:
  /// Largest array of group sums, in bytes.
  static constexpr Index max_group_sums = Index(64) << 20;
  /// Largest kept projection, in bytes.
  static constexpr Index max_direction = Index(512) << 20;
  using Token = Kokkos::Experimental::UniqueToken<ExecSpace, Kokkos::Experimental::UniqueTokenScope::Instance>;

  Workspace(ExecSpace const& exec, SeparableShape const& shape);
  /// What that allocates.
  static Index bytes(ExecSpace const& exec, SeparableShape const& shape);

  /// By plain pointers, to be copied into kernels.
  struct Slots {
    Token token;
    Real* reals;
    int* ints;
    double* rows;
    Index reals_size, ints_size, rows_size;
    Index slice_lanes, row_lanes;
    int num_entries, num_vectors;
    int num_channels;
    Slot slot(int index) const;
  };
  Slots slots(ExecSpace const& exec) const;

  /// [group][entry][slice] for as many entries as fit.
  Array1<Real> const& group_sums() const { return group_sums_; }

  /// Where the weighted projection [view][channel][row] of a direction of `num_pixels` is kept; null for directions of
  /// so few pixels that projecting them again costs less than memory traffic, and for sinograms that are too large.
  Real* direction(int num_pixels) const {
    return 4 * num_pixels >= shape_.projector.num_channels && direction_.extent(0) > 0 ? direction_.data() : nullptr;
  }

 private:
  SeparableShape shape_;
  int num_entries_;
  Array2<Real> reals_;
  Array2<int> ints_;
  Array2<double> rows_;
  Array1<Real> group_sums_;
  Array1<Real> direction_;
};

/// Holds a slot for the length of a task.
class SlotLease {
 public:
  explicit SlotLease(Workspace::Slots const& slots) : slots_(slots), index_(slots.token.acquire()) {}
  ~SlotLease() { slots_.token.release(index_); }
  SlotLease(SlotLease const&) = delete;
  SlotLease& operator=(SlotLease const&) = delete;
  Slot slot() const { return slots_.slot(index_); }

 private:
  Workspace::Slots const& slots_;
  int index_;
};

}  // namespace strata::separable
