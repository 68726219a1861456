/// The sweeps of the iteration for geometries that couple slices. Each projects the direction view by view into memory
/// that stays in cache, uses it and forgets it. Host only.
#pragma once

#include "geometries/separable_forward.hpp"

namespace strata::separable {

/// Where w q of a view is kept for the step, [channel][row], or nowhere. Large arrays are written past the caches: to
/// be read again they would have to stay there while the weights and the error go through, and do not.
struct KeptView {
  static constexpr Index least_streamed = Index(4) << 20;  ///< bytes of the array
  Real* data = nullptr;
  bool streamed = false;

  explicit operator bool() const { return data != nullptr; }
  void put(FanVector value, Index at) const {
    if (streamed)
      value.stream(data + at);
    else
      value.store(data + at);
  }
  /// \param begin, end channels
  void clear(Index row_lanes, int begin, int end) const {
    for (Index i = begin * row_lanes; i < end * row_lanes; i += FanVector::width) put(FanVector(), i);
  }
};

/// Sum of w q^2 over one view, channel by channel. Products are summed in float over aligned groups of 8 channels and
/// in double beyond: channels that are 0 may be left out.
class SquareSum {
 public:
  SquareSum(Slot const& slot, int num_rows, Index row_lanes)
      : squares_(slot.squares), rows_(slot.rows), num_rows_(num_rows), row_lanes_(row_lanes) {
    for (int m = 0; m < num_rows_; ++m) rows_[m] = 0;
    clear();
  }
  /// Channels must ascend. \param w null: ones \param kept takes w q
  void add(int channel, Real const* q, Real const* w, KeptView const& kept) {
    constexpr int group_size = 8;
    if (channel / group_size != group_) flush();
    group_ = channel / group_size;
    Real* const squares = squares_;
    for (Index i = 0, end = row_lanes_; i < end; i += FanVector::width) {
      auto const value = FanVector::load(q + i);
      auto const weighted = w ? value * FanVector::load(w + i) : value;
      if (kept) kept.put(weighted, channel * row_lanes_ + i);
      fma(weighted, value, FanVector::load(squares + i)).store(squares + i);
    }
  }
  double total() {
    flush();
    double sum = 0;
    for (int m = 0; m < num_rows_; ++m) sum += rows_[m];
    return sum;
  }

 private:
  void clear() {
    for (Index i = 0; i < row_lanes_; i += FanVector::width) FanVector().store(squares_ + i);
  }
  void flush() {
    Real const* __restrict const squares = squares_;
    double* __restrict const rows = rows_;
#pragma omp simd
    for (int m = 0; m < num_rows_; ++m) rows[m] += static_cast<double>(squares[m]);
    clear();
  }

  Real* squares_;
  double* rows_;
  int num_rows_;
  Index row_lanes_;
  int group_ = 0;
};

/// Sum of w q^2 of one view, q [channel][row]; `kept` takes w q.
inline double view_curvature(Real const* q, Index q_stride, Rows<Real const> const& weights, int view, int num_channels,
                             int num_rows, Index row_lanes, Slot const& slot, KeptView const& kept) {
  SquareSum sum(slot, num_rows, row_lanes);
  for (int n = 0; n < num_channels; ++n)
    sum.add(n, q + n * q_stride, weights.data ? weights.view(view) + n * weights.channel_stride : nullptr, kept);
  return sum.total();
}

/// As view_curvature() of the job's projection; false: it is not for this view.
template <class G>
bool curvature_in_passing(ForwardJob<G> const& job, Rows<Real const> const& weights, int view, Index row_lanes,
                          Slot const& slot, KeptView const& kept, ViewPrefetcher& ahead, double& result) {
  SquareSum sum(slot, job.cylinder.num_rows, row_lanes);
  int next = 0;
  auto const weight = [&](int n) { return weights.data ? weights.view(view) + n * weights.channel_stride : nullptr; };
  auto const use = [&](int n, Real const* q) {
    if (kept) kept.clear(row_lanes, next, n);
    sum.add(n, q, weight(n), kept);
    next = n + 1;
  };
  if (!project_in_passing(job, view, {slot.view, 0, row_lanes}, slot, use, ahead)) return false;
  if (kept) kept.clear(row_lanes, next, job.geometry.num_channels);
  result = sum.total();
  return true;
}

/// Adds a view and the one that follows, or -1, of an array that may be null.
template <class T>
void fetch_views(Rows<T> const& array, int view, int next, Index size, ViewPrefetcher& ahead) {
  if (array.data) ahead.add(array.view(view), next >= 0 ? array.view(next) : nullptr, size);
}

/// Arrays of a curvature sweep.
struct CurvatureArrays {
  Rows<Real const> weights;  ///< null: ones
  Rows<Real> kept;           ///< takes w q, unless null
  bool streamed;             ///< see KeptView
  double* per_view;
};

/// \param next view that the thread is likely to take next, or -1
template <class G>
double curvature_of_view(ForwardJob<G> const& job, CurvatureArrays const& arrays, int v, int next, Index row_lanes,
                         Slot const& slot) {
  int const num_channels = job.geometry.num_channels;
  ViewPrefetcher ahead;
  fetch_views(arrays.weights, v, next, num_channels * row_lanes, ahead);
  if (!arrays.streamed) fetch_views(arrays.kept, v, next, num_channels * row_lanes, ahead);
  KeptView const own{arrays.kept.data ? arrays.kept.view(v) : nullptr, arrays.streamed};
  double result = 0;
  if (curvature_in_passing(job, arrays.weights, v, row_lanes, slot, own, ahead, result)) return result;
  project_view(job, v, {slot.view, 0, row_lanes}, slot);
  return view_curvature(slot.view, row_lanes, arrays.weights, v, num_channels, job.cylinder.num_rows, row_lanes, slot,
                        own);
}

template <class G>
void curvature_of_views(ExecSpace const& exec, Workspace::Slots const& slots, ForwardJob<G> const& job,
                        CurvatureArrays const& arrays) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  int const num_threads = exec.concurrency();
  Kokkos::parallel_for(
      "strata::curvature", Policy(exec, 0, job.num_views, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int v) {
        SlotLease const lease(slots);
        // Threads take views in turn, so a guess: a wrong one is of use to another thread.
        int const next = v + num_threads < job.num_views ? v + num_threads : -1;
        arrays.per_view[v] = curvature_of_view(job, arrays, v, next, slots.row_lanes, lease.slot());
        if (arrays.streamed) FanVector::end_streams();
      });
}

/// See Projector::projection_curvature().
inline void projection_curvature(ExecSpace const& exec, SeparableShape const& shape, Workspace::Slots const& slots,
                                 Rows<Real const> const& projection, Rows<Real const> const& weights,
                                 double* per_view) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::projection_curvature", Policy(exec, 0, shape.projector.views.size(), Kokkos::ChunkSize(1)),
      KOKKOS_LAMBDA(int v) {
        SlotLease const lease(slots);
        per_view[v] =
            view_curvature(projection.view(v), projection.channel_stride, weights, v, shape.projector.num_channels,
                           shape.cylinder.num_rows, slots.row_lanes, lease.slot(), {});
      });
}

/// See Projector::curvature().
template <class G>
void curvature(ExecSpace const& exec, G const& geometry, SeparableShape const& shape, Workspace const& workspace,
               CylinderBand const& direction, ConstSinogram const& weights, Array1<double> const& per_view) {
  ForwardJob<G> const job(geometry, shape, direction);
  Index const row_lanes = shape.row_lanes();
  Rows<Real> const kept{workspace.direction(job.pixels.size), shape.projector.num_channels * row_lanes, row_lanes};
  bool const streamed = job.num_views * kept.view_stride * Index(sizeof(Real)) >= KeptView::least_streamed;
  curvature_of_views(exec, workspace.slots(exec), job, {rows_of(weights), kept, streamed, per_view.data()});
}

/// Arrays of a step.
struct StepArrays {
  Real alpha;
  Rows<Real const> weights;  ///< null: ones
  Rows<Real> error;
  Real* measured;  ///< [view][channel][row] w times the projection of the direction; null: not kept

  StepArrays(Real length, Rows<Real const> const& w, Rows<Real> const& weighted_error, Real* projection)
      : alpha(length), weights(w), error(weighted_error), measured(projection) {}
  StepArrays(PendingStep const& step, ConstSinogram const& w, Sinogram const& weighted_error,
             Workspace const& workspace)
      : alpha(step.alpha),
        weights(rows_of(w)),
        error(rows_of(weighted_error)),
        measured(step.measured ? workspace.direction(step.direction.pixels.size()) : nullptr) {}
};

/// error -= alpha * (w * q) for the line of one channel; w null: ones. Written with fma, so that all callers round
/// alike.
inline void update_line(Real alpha, Real const* w, Real const* q, Index row_lanes, Real* error) {
  FanVector const minus_alpha(-alpha);
  for (Index i = 0; i < row_lanes; i += FanVector::width) {
    auto const value = FanVector::load(q + i), weighted = w ? value * FanVector::load(w + i) : value;
    fma(minus_alpha, weighted, FanVector::load(error + i)).store(error + i);
  }
}

/// For one view. \param weighted q is w q already
inline void update_view(StepArrays const& step, int view, Real const* q, Index q_stride, bool weighted,
                        int num_channels, Index row_lanes) {
  for (int n = 0; n < num_channels; ++n) {
    bool const by_weight = step.weights.data && !weighted;
    update_line(step.alpha, by_weight ? step.weights.view(view) + n * step.weights.channel_stride : nullptr,
                q + n * q_stride, row_lanes, step.error.view(view) + n * step.error.channel_stride);
  }
}

template <class G>
bool descend_in_passing(ForwardJob<G> const& job, StepArrays const& step, int view, int next, Index row_lanes,
                        Slot const& slot) {
  auto const use = [&](int n, Real const* q) {
    Real const* const w = step.weights.data ? step.weights.view(view) + n * step.weights.channel_stride : nullptr;
    update_line(step.alpha, w, q, row_lanes, step.error.view(view) + n * step.error.channel_stride);
  };
  ViewPrefetcher ahead;
  fetch_views(step.weights, view, next, job.geometry.num_channels * row_lanes, ahead);
  fetch_views(step.error, view, next, job.geometry.num_channels * row_lanes, ahead);
  return project_in_passing(job, view, {slot.view, 0, row_lanes}, slot, use, ahead);
}

/// Projects the direction, unless that is kept, and subtracts it from the error. \param next see curvature_of_view()
template <class G>
void descend_view(ForwardJob<G> const& job, StepArrays const& step, int view, int next, Index row_lanes,
                  Slot const& slot) {
  int const num_channels = job.geometry.num_channels;
  if (step.measured)
    return update_view(step, view, step.measured + view * (num_channels * row_lanes), row_lanes, true, num_channels,
                       row_lanes);
  if (descend_in_passing(job, step, view, next, row_lanes, slot)) return;
  project_view(job, view, {slot.view, 0, row_lanes}, slot);
  update_view(step, view, slot.view, row_lanes, false, num_channels, row_lanes);
}

/// See Projector::subtract_projection().
inline void subtract_projection(ExecSpace const& exec, SeparableShape const& shape, Rows<Real const> const& projection,
                                StepArrays const& step) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::subtract_projection", Policy(exec, 0, shape.projector.views.size(), Kokkos::ChunkSize(1)),
      KOKKOS_LAMBDA(int v) {
        update_view(step, v, projection.view(v), projection.channel_stride, false, shape.projector.num_channels,
                    shape.row_lanes());
      });
}

template <class G>
void descend_views(ExecSpace const& exec, Workspace::Slots const& slots, ForwardJob<G> const& job,
                   StepArrays const& step) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::descend", Policy(exec, 0, job.num_views, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int v) {
        SlotLease const lease(slots);
        descend_view(job, step, v, -1, slots.row_lanes, lease.slot());
      });
}

/// See Projector::descend().
template <class G>
void descend(ExecSpace const& exec, G const& geometry, SeparableShape const& shape, Workspace const& workspace,
             PendingStep const& step, ConstSinogram const& weights, Sinogram const& weighted_error) {
  if (step.direction.pixels.size() == 0) return;
  ForwardJob<G> const job(geometry, shape, step.direction);
  descend_views(exec, workspace.slots(exec), job, StepArrays(step, weights, weighted_error, workspace));
}

/// One task is one view group: its views are updated, and back projected while they are in cache. The last group goes
/// first, as its part of what curvature_of_views() kept may still be in a cache that is too small for all.
///   sums  [group of the device][entry][slice], overwritten
template <class G>
void descend_and_sum_groups(ExecSpace const& exec, Workspace::Slots const& slots, ForwardJob<G> const& step_job,
                            StepArrays const& step, BackJob<G> const& job, LocalGroups const& groups, Real* sums) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::descend_and_sum_groups", Policy(exec, 0, groups.size(), Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int task) {
        SlotLease const lease(slots);
        Slot const slot = lease.slot();
        int const group = groups.size() - 1 - task;
        Range const views = groups.views(group);
        for (int v = views.begin; v < views.end && step_job.pixels.size > 0; ++v)
          descend_view(step_job, step, v, v + 1 < views.end ? v + 1 : -1, slots.row_lanes, slot);
        Real* const mine = sums + group * (job.pixels.size * slots.slice_lanes);
        for (int first = 0; first < job.pixels.size; first += back_chunk) {
          int const left = job.pixels.size - first;
          back_project_leaves(job, first, left < back_chunk ? left : back_chunk, groups.only(group), slot,
                              mine + first * slots.slice_lanes, [](int) {});
        }
      });
}

/// target = the tree sum over `groups` of `sums`, for every entry.
inline void join_groups(ExecSpace const& exec, Workspace::Slots const& slots, Real const* sums, Range groups,
                        int num_entries, CylinderTarget const& target) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Index const length = slots.slice_lanes;
  Kokkos::parallel_for(
      "strata::join_groups", Policy(exec, 0, num_entries, Kokkos::ChunkSize(16)), KOKKOS_LAMBDA(int entry) {
        SlotLease const lease(slots);
        Slot const slot = lease.slot();
        Real* const x = slot.levels + ViewGroups::max_levels * length;
        for (int g = groups.begin; g < groups.end; ++g) {
          Real const* const from = sums + (Index(g) * num_entries + entry) * length;
          for (Index i = 0; i < length; i += FanVector::width) FanVector::load(from + i).store(x + i);
          apply_fold(fold_leaf(g - groups.begin, groups.size(), slot.levels, length, Fold()), length, x);
        }
        target.write(entry, x, 0);
      });
}

/// See Projector::descend_and_back_project().
template <class G>
void descend_and_back_project(ExecSpace const& exec, G const& geometry, SeparableShape const& shape,
                              Workspace const& workspace, PendingStep const& step, ConstSinogram const& weights,
                              Sinogram const& weighted_error, std::vector<TreeNode> const& nodes,
                              PixelList const& pixels, Cylinders const& out) {
  SliceBlocks const& blocks = shape.projector.blocks;
  ViewGroups const& all = shape.projector.groups;
  int const num_blocks = blocks.num_blocks();
  if (nodes.empty()) return;
  Range const groups{groups_of(nodes.front(), all).begin, groups_of(nodes.back(), all).end};
  if (Index(groups.size()) * pixels.size() * shape.slice_lanes() > Index(workspace.group_sums().extent(0))) {
    descend(exec, geometry, shape, workspace, step, weights, weighted_error);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      back_project(exec, geometry, shape, workspace, ConstSinogram(weighted_error),
                   {nodes[n], {0, num_blocks}, pixels, Position::by_entry, blocks_of_node(out, n, num_blocks), false});
    return;
  }
  auto const slots = workspace.slots(exec);
  Real* const sums = workspace.group_sums().data();
  auto const job = make_back_job(geometry, shape, ConstSinogram(weighted_error), pixels, Position::by_entry,
                                 {0, shape.cylinder.num_slices}, false);
  descend_and_sum_groups(exec, slots, ForwardJob<G>(geometry, shape, step.direction),
                         StepArrays(step, weights, weighted_error, workspace), job,
                         {all, groups, shape.projector.views.begin}, sums);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    Range const own = groups_of(nodes[n], all);
    CylinderTarget const target{
        out.data() + Index(n) * num_blocks * Index(out.stride_0()), Index(out.stride_0()), blocks, {0, num_blocks}};
    join_groups(exec, slots, sums, {own.begin - groups.begin, own.end - groups.begin}, pixels.size(), target);
  }
}

}  // namespace strata::separable
