/// Host tiles: the sweeps of the iteration. Each projects the direction view by view into a buffer that stays in cache,
/// uses it and forgets it: memory traffic over the sinogram is what limits small subsets.
#pragma once

#include "geometries/host_kernels_back.hpp"
#include "geometries/host_kernels_forward.hpp"
#include "geometries/host_subset.hpp"

namespace strata::host_tiles {

/// rows[lane] = sum over channels of w q^2 for one block [channel][lane], added up like sum_subset_squares().
template <int NV>
void sum_weighted_squares(Real const* __restrict q, Real const* __restrict w, int num_channels,
                          double* __restrict rows) {
  constexpr Index lanes = NV * LaneVector::width;
  for (int lane = 0; lane < lanes; ++lane) rows[lane] = 0;
  for (int begin = 0; begin < num_channels; begin += channel_group) {
    int const end = begin + channel_group < num_channels ? begin + channel_group : num_channels;
    BlockVector<NV> partial;
    for (Index i = begin * lanes; i < end * lanes; i += lanes)
      add_weighted_square<NV>(q + i, w ? w + i : nullptr, partial);
    flush_rows<NV>(partial, rows);
  }
}

/// Projects the direction of `job` into q, one view, all channels.
template <int NT, int NV, class G>
void project_direction(ForwardJob<G> const& job, int view, Blocks<Real> const& q, int* counts) {
  if (!fits_sorted_subset(job)) return project_view<NT, NV>(job, view, q, counts);
  SortedSubset<NT> subset;
  prepare_subset(job, view, subset);
  sort_subset(job.pixels, counts, subset);
  for (int b = 0; b < job.num_blocks; ++b)
    store_projection<NT, NV>(subset, job.geometry.num_channels, job.volume.block(b), q.block(b));
}

/// Sums of w q^2 per row of one view into the slot's rows. `kept` null: q is used and forgotten.
template <int NT, int NV, class G>
void curvature_rows(ForwardJob<G> const& job, int v, Blocks<Real const> const& weights, Blocks<Real> const& kept,
                    SlotLease const& slot) {
  constexpr Index lanes = NV * LaneVector::width;
  int const num_channels = job.geometry.num_channels;
  auto const weights_of = [&](int b) { return weights.data ? weights.view(v).block(b) : nullptr; };
  if (!kept.data && fits_sorted_subset(job)) {
    SortedSubset<NT> subset;
    prepare_subset(job, v, subset);
    sort_subset(job.pixels, slot.counts(), subset);
    for (int b = 0; b < job.num_blocks; ++b)
      sum_subset_squares<NT, NV>(subset, job.volume.block(b), weights_of(b), slot.rows() + b * lanes);
    return;
  }
  Blocks<Real> const q = kept.data ? kept.view(v) : Blocks<Real>{slot.view(), num_channels * lanes};
  project_direction<NT, NV>(job, v, q, slot.counts());
  for (int b = 0; b < job.num_blocks; ++b)
    sum_weighted_squares<NV>(q.block(b), weights_of(b), num_channels, slot.rows() + b * lanes);
}

/// Over rows in global order: the blocks differ from one device count to another.
inline double sum_of_rows(double const* rows, SliceBlocks const& blocks, Index lanes) {
  double sum = 0;
  for (int b = 0; b < blocks.num_blocks(); ++b)
    for (int lane = 0; lane < blocks.slices(b).size(); ++lane) sum += rows[b * lanes + lane];
  return sum;
}

template <int NT, int NV, class G>
void curvature_of_views(ExecSpace const& exec, Workspace::Slots const& slots, ForwardJob<G> const& job,
                        Blocks<Real const> const& weights, Blocks<Real> const& kept, SliceBlocks const& blocks,
                        double* per_view) {
  constexpr Index lanes = NV * LaneVector::width;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::curvature", Policy(exec, 0, job.num_views, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int v) {
        SlotLease const slot(slots);
        curvature_rows<NT, NV>(job, v, weights, kept, slot);
        per_view[v] = sum_of_rows(slot.rows(), blocks, lanes);
      });
}

/// The kept projection of the last direction as [view][block][channel][lane]; null where none is kept.
inline Blocks<Real> kept_direction(Workspace const& workspace, ProjectorShape const& shape) {
  if (workspace.direction().extent(0) == 0) return {nullptr, 0};
  Index const block = Index(shape.num_channels) * shape.blocks.lanes;
  return {workspace.direction().data(), block, block * shape.blocks.num_blocks()};
}

template <class G>
void Kernels<G>::curvature(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                           Workspace const& workspace, CylinderBand const& direction, ConstSinogram const& weights,
                           Array1<double> const& per_view) {
  ForwardJob<G> const job(geometry, shape, direction);
  auto const slots = workspace.slots(exec);
  with_taps_and_vectors(geometry.taps.width, shape.blocks.lanes / LaneVector::width, [&](auto taps, auto vectors) {
    curvature_of_views<taps(), vectors()>(exec, slots, job, blocks_of(weights, 0), kept_direction(workspace, shape),
                                          shape.blocks, per_view.data());
  });
}

/// Arrays of a step by plain pointers.
struct StepArrays {
  Real alpha;
  Blocks<Real const> weights;  ///< null: ones
  Blocks<Real> error;
  Blocks<Real> measured;  ///< projection of the direction; null: not kept
};

inline StepArrays step_arrays(Workspace const& workspace, ProjectorShape const& shape, PendingStep const& step,
                              ConstSinogram const& weights, Sinogram const& weighted_error) {
  return {step.alpha, blocks_of(weights, 0), blocks_of(weighted_error, 0),
          step.measured ? kept_direction(workspace, shape) : Blocks<Real>{nullptr, 0}};
}

/// error -= alpha * w * q for one view. Written with fma, so that all callers round alike.
template <int NV, class T>
void update_view(StepArrays const& step, int view, Blocks<T> const& q, int num_channels, int num_blocks) {
  LaneVector const minus_alpha(-step.alpha);
  Index const size = Index(num_channels) * NV * LaneVector::width;
  for (int b = 0; b < num_blocks; ++b) {
    Real const* const from = q.block(b);
    Real* const error = step.error.view(view).block(b);
    Real const* const w = step.weights.data ? step.weights.view(view).block(b) : nullptr;
    for (Index i = 0; i < size; i += LaneVector::width) {
      LaneVector const factor = w ? minus_alpha * LaneVector::load(w + i) : minus_alpha;
      fma(factor, LaneVector::load(from + i), LaneVector::load(error + i)).store(error + i);
    }
  }
}

/// Projects the direction and subtracts it from the error.
template <int NT, int NV, class G>
void descend_view(ForwardJob<G> const& job, StepArrays const& step, int view, SlotLease const& slot) {
  if (step.measured.data)
    return update_view<NV>(step, view, step.measured.view(view), job.geometry.num_channels, job.num_blocks);
  if (fits_sorted_subset(job)) {
    SortedSubset<NT> subset;
    prepare_subset(job, view, subset);
    sort_subset(job.pixels, slot.counts(), subset);
    for (int b = 0; b < job.num_blocks; ++b)
      descend_subset<NT, NV>(subset, job.volume.block(b), step.alpha,
                             step.weights.data ? step.weights.view(view).block(b) : nullptr,
                             step.error.view(view).block(b));
    return;
  }
  int const num_channels = job.geometry.num_channels;
  Blocks<Real> const q{slot.view(), Index(num_channels) * NV * LaneVector::width};
  project_view<NT, NV>(job, view, q, slot.counts());
  update_view<NV>(step, view, q, num_channels, job.num_blocks);
}

template <int NT, int NV, class G>
void descend_views(ExecSpace const& exec, Workspace::Slots const& slots, ForwardJob<G> const& job,
                   StepArrays const& step) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::descend", Policy(exec, 0, job.num_views, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int v) {
        SlotLease const slot(slots);
        descend_view<NT, NV>(job, step, v, slot);
      });
}

template <class G>
void Kernels<G>::descend(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                         Workspace const& workspace, PendingStep const& step, ConstSinogram const& weights,
                         Sinogram const& weighted_error) {
  if (step.direction.pixels.size() == 0) return;
  ForwardJob<G> const job(geometry, shape, step.direction);
  StepArrays const arrays = step_arrays(workspace, shape, step, weights, weighted_error);
  auto const slots = workspace.slots(exec);
  with_taps_and_vectors(geometry.taps.width, shape.blocks.lanes / LaneVector::width,
                        [&](auto taps, auto vectors) { descend_views<taps(), vectors()>(exec, slots, job, arrays); });
}

/// See Projector::projection_curvature().
template <int NV>
void sum_projections(ExecSpace const& exec, Workspace::Slots const& slots, ProjectorShape const& shape,
                     Blocks<Real const> const& projection, Blocks<Real const> const& weights, double* per_view) {
  constexpr Index lanes = NV * LaneVector::width;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::projection_curvature", Policy(exec, 0, shape.views.size(), Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int v) {
        SlotLease const slot(slots);
        for (int b = 0; b < shape.blocks.num_blocks(); ++b)
          sum_weighted_squares<NV>(projection.view(v).block(b), weights.data ? weights.view(v).block(b) : nullptr,
                                   shape.num_channels, slot.rows() + b * lanes);
        per_view[v] = sum_of_rows(slot.rows(), shape.blocks, lanes);
      });
}

/// See Projector::subtract_projection().
template <int NV>
void subtract_projections(ExecSpace const& exec, ProjectorShape const& shape, Blocks<Real const> const& projection,
                          StepArrays const& step) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::subtract_projection", Policy(exec, 0, shape.views.size(), Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int v) {
        update_view<NV>(step, v, projection.view(v), shape.num_channels, shape.blocks.num_blocks());
      });
}

template <class G>
void Kernels<G>::projection_curvature(ExecSpace const& exec, ProjectorShape const& shape, Workspace const& workspace,
                                      ConstSinogram const& projection, ConstSinogram const& weights,
                                      Array1<double> const& per_view) {
  auto const slots = workspace.slots(exec);
  with_number(shape.blocks.lanes / LaneVector::width, [&](auto vectors) {
    sum_projections<vectors()>(exec, slots, shape, blocks_of(projection, 0), blocks_of(weights, 0), per_view.data());
  });
}

template <class G>
void Kernels<G>::subtract_projection(ExecSpace const& exec, ProjectorShape const& shape,
                                     ConstSinogram const& projection, Real alpha, ConstSinogram const& weights,
                                     Sinogram const& weighted_error) {
  StepArrays const step{alpha, blocks_of(weights, 0), blocks_of(weighted_error, 0), {nullptr, 0}};
  with_number(shape.blocks.lanes / LaneVector::width,
              [&](auto vectors) { subtract_projections<vectors()>(exec, shape, blocks_of(projection, 0), step); });
}

}  // namespace strata::host_tiles
