/// Host tiles: the sweeps of the iteration. Each projects the direction view by view into a buffer that stays in cache,
/// uses it and forgets it: memory traffic over the sinogram is what limits small subsets.
#pragma once

#include "geometries/host_kernels_back.hpp"
#include "geometries/host_kernels_forward.hpp"

namespace strata::host_tiles {

/// rows[lane] = sum over channels of w q^2 for one block [channel][lane].
template <int NV>
void sum_weighted_squares(Real const* __restrict q, Real const* __restrict w, int num_channels,
                          double* __restrict rows) {
  constexpr int lanes = NV * LaneVector::width;
  for (int lane = 0; lane < lanes; ++lane) rows[lane] = 0;
  for (int n = 0; n < num_channels; ++n, q += lanes) {
    if (w) {
#pragma omp simd
      for (int lane = 0; lane < lanes; ++lane) {
        auto const value = static_cast<double>(q[lane]);
        rows[lane] += static_cast<double>(w[lane]) * (value * value);
      }
      w += lanes;
    } else {
#pragma omp simd
      for (int lane = 0; lane < lanes; ++lane) {
        auto const value = static_cast<double>(q[lane]);
        rows[lane] += value * value;
      }
    }
  }
}

template <int NT, int NV, class G>
void curvature_of_views(ExecSpace const& exec, Workspace::Slots const& slots, ForwardJob<G> const& job,
                        Blocks<Real const> const& weights, SliceBlocks const& blocks, double* per_view) {
  constexpr Index lanes = NV * LaneVector::width;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::curvature", Policy(exec, 0, job.num_views, Kokkos::ChunkSize(1)), KOKKOS_LAMBDA(int v) {
        SlotLease const slot(slots);
        int const num_channels = job.geometry.num_channels;
        Blocks<Real> const q{slot.view(), num_channels * lanes};
        project_view<NT, NV>(job, v, q, slot.counts());
        for (int b = 0; b < job.num_blocks; ++b)
          sum_weighted_squares<NV>(q.block(b), weights.data ? weights.view(v).block(b) : nullptr, num_channels,
                                   slot.rows() + b * lanes);
        double sum = 0;  // over rows in global order: the blocks differ from one device count to another
        for (int row = 0; row < blocks.num_slices; ++row)
          sum += slot.rows()[blocks.block_of(row) * lanes + blocks.lane_of(row)];
        per_view[v] = sum;
      });
}

template <class G>
void Kernels<G>::curvature(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                           Workspace const& workspace, CylinderBand const& direction, ConstSinogram const& weights,
                           Array1<double> const& per_view) {
  ForwardJob<G> const job(geometry, shape, direction);
  auto const slots = workspace.slots(exec);
  with_taps_and_vectors(geometry.taps.width, shape.blocks.lanes / LaneVector::width, [&](auto taps, auto vectors) {
    curvature_of_views<taps(), vectors()>(exec, slots, job, blocks_of(weights, 0), shape.blocks, per_view.data());
  });
}

/// Arrays of a step by plain pointers.
struct StepArrays {
  Real alpha;
  Blocks<Real const> weights;  ///< null: ones
  Blocks<Real> error;
};

/// error -= alpha * w * q for one view. Written with fma, so that all callers round alike.
template <int NV>
void update_view(StepArrays const& step, int view, Blocks<Real> const& q, int num_channels, int num_blocks) {
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

/// Projects the direction into the slot's view and subtracts it from the error.
template <int NT, int NV, class G>
void descend_view(ForwardJob<G> const& job, StepArrays const& step, int view, SlotLease const& slot) {
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
  StepArrays const arrays{step.alpha, blocks_of(weights, 0), blocks_of(weighted_error, 0)};
  auto const slots = workspace.slots(exec);
  with_taps_and_vectors(geometry.taps.width, shape.blocks.lanes / LaneVector::width,
                        [&](auto taps, auto vectors) { descend_views<taps(), vectors()>(exec, slots, job, arrays); });
}

}  // namespace strata::host_tiles
