/// Host tiles, part 4: memory that the kernels need besides the stack, allocated once per projector.
#pragma once

#include "geometries/host_forward.hpp"
#include "geometries/projector_arrays.hpp"

namespace strata::host_tiles {

/// One slot per thread of the execution space instance. A slot is used by one task at a time.
class Workspace {
 public:
  /// Blocks that one back projection task handles.
  static constexpr int max_task_blocks = 4;
  /// Largest array of group sums, in bytes.
  static constexpr Index max_group_sums = Index(64) << 20;

  using Token = Kokkos::Experimental::UniqueToken<ExecSpace, Kokkos::Experimental::UniqueTokenScope::Instance>;

  Workspace(ExecSpace const& exec, ProjectorShape const& shape);
  /// What that allocates.
  static Index bytes(ExecSpace const& exec, ProjectorShape const& shape);

  /// Slot [thread] of each array by plain pointers, to be copied into kernels.
  struct Slots {
    Token token;
    int* counts;
    Real* levels;
    Real* view;
    double* rows;
    Index counts_size, levels_size, view_size, rows_size;
  };
  Slots slots(ExecSpace const& exec) const;

  /// Projection of the last direction [view][block][channel][lane], where it is kept: volumes of few slices, for which
  /// projecting costs more than memory traffic. Else empty.
  Array1<Real> const& direction() const { return direction_; }

  /// [group][block][entry][lane] for as many entries as fit.
  Array1<Real> const& group_sums() const { return group_sums_; }

 private:
  Array2<int> counts_;
  Array2<Real> levels_;  ///< [level][block of the task][pixel of the chunk][lane]
  Array2<Real> view_;    ///< [block][channel][lane]: one projected view
  Array2<double> rows_;  ///< [block][lane]: sums per detector row
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
  int* counts() const { return slots_.counts + index_ * slots_.counts_size; }
  Real* levels() const { return slots_.levels + index_ * slots_.levels_size; }
  Real* view() const { return slots_.view + index_ * slots_.view_size; }
  double* rows() const { return slots_.rows + index_ * slots_.rows_size; }

 private:
  Workspace::Slots const& slots_;
  int index_;
};

}  // namespace strata::host_tiles
