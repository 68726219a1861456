/// GPU teams: what is done with projected views, and the kernels' entry points.
#pragma once

#include "geometries/dispatch.hpp"
#include "geometries/team_back.hpp"
#include "geometries/team_kernels.hpp"

namespace strata::gpu_teams {

/// per_view[first_view + v] = sum of w q^2 over the views of a batch. Channels are added first, then rows in global
/// order.
inline void sum_weighted_squares(ExecSpace const& exec, ConstSinogram const& q, ConstSinogram const& weights,
                                 int first_view, int num_views, int num_channels, SliceBlocks const& blocks,
                                 Array3<double> const& rows, Array1<double> const& per_view) {
  int const num_blocks = q.extent_int(1), num_lanes = q.extent_int(3);
  bool const weighted = weights.extent(0) > 0;
  Kokkos::parallel_for(
      "strata::curvature_rows", Kokkos::RangePolicy<ExecSpace>(exec, 0, num_views * num_blocks * num_lanes),
      KOKKOS_LAMBDA(int i) {
        int const lane = i % num_lanes, b = i / num_lanes % num_blocks, v = i / num_lanes / num_blocks;
        double sum = 0;
        for (int n = 0; n < num_channels; ++n) {
          auto const value = static_cast<double>(q(v, b, n, lane));
          double const w = weighted ? static_cast<double>(weights(first_view + v, b, n, lane)) : 1.0;
          sum += w * (value * value);
        }
        rows(v, b, lane) = sum;
      });
  Kokkos::parallel_for(
      "strata::curvature_views", Kokkos::RangePolicy<ExecSpace>(exec, 0, num_views), KOKKOS_LAMBDA(int v) {
        double sum = 0;
        for (int row = 0; row < blocks.num_slices; ++row) sum += rows(v, blocks.block_of(row), blocks.lane_of(row));
        per_view(first_view + v) = sum;
      });
}

/// error -= alpha * w * q for the views of a batch.
inline void subtract_step(ExecSpace const& exec, ConstSinogram const& q, ConstSinogram const& weights, Real alpha,
                          int first_view, int num_views, int num_channels, Sinogram const& error) {
  int const num_blocks = q.extent_int(1), num_lanes = q.extent_int(3);
  bool const weighted = weights.extent(0) > 0;
  Index const total = Index(num_views) * num_blocks * num_channels * num_lanes;
  Kokkos::parallel_for(
      "strata::descend", Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, total),
      KOKKOS_LAMBDA(Index i) {
        int const lane = static_cast<int>(i % num_lanes), n = static_cast<int>(i / num_lanes % num_channels);
        auto const rest = static_cast<int>(i / num_lanes / num_channels);
        int const b = rest % num_blocks, v = rest / num_blocks;
        Real const factor = weighted ? -alpha * weights(first_view + v, b, n, lane) : -alpha;
        error(first_view + v, b, n, lane) = multiply_add(factor, q(v, b, n, lane), error(first_view + v, b, n, lane));
      });
}

/// Projects views [first, first + count) of the device to view 0.. of `sino`.
template <class G>
void project(ExecSpace const& exec, G const& geometry, CylinderBand const& band, int first, int count, int first_block,
             Sinogram const& sino) {
  if (count == 0 || band.blocks.empty()) return;
  with_number(geometry.taps.width,
              [&](auto taps) { project_views<taps()>(exec, geometry, band, first, count, first_block, sino); });
}

/// Calls f(first view, number of views) for the batches of a device's views.
template <class F>
void for_each_batch(int num_views, F const& f) {
  for (int first = 0; first < num_views; first += Workspace::batch_views)
    f(first, num_views - first < Workspace::batch_views ? num_views - first : Workspace::batch_views);
}

/// See Projector::projection_curvature().
inline void sum_projections(ExecSpace const& exec, ConstSinogram const& projection, ConstSinogram const& weights,
                            ProjectorShape const& shape, Array3<double> const& rows, Array1<double> const& per_view) {
  for_each_batch(shape.views.size(), [&](int first, int count) {
    ConstSinogram const views =
        Kokkos::subview(projection, std::pair<int, int>(first, first + count), Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
    sum_weighted_squares(exec, views, weights, first, count, shape.num_channels, shape.blocks, rows, per_view);
  });
}

template <class G>
void Kernels<G>::forward_project(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                                 Workspace const& /*workspace*/, CylinderBand const& band, Sinogram const& sino) {
  project(exec, geometry, band, 0, shape.views.size(), band.blocks.begin, sino);
}

template <class G>
void Kernels<G>::back_project(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                              Workspace const& /*workspace*/, ConstSinogram const& sino, BackTarget const& target) {
  if (target.blocks.empty() || target.pixels.size() == 0) return;
  BackArrays const arrays{sino,
                          target.out,
                          target.pixels,
                          local_groups(target.node, shape),
                          target.blocks.begin,
                          target.position == Position::by_pixel,
                          target.squared};
  with_number(geometry.taps.width, [&](auto taps) {
    back_project_node<taps()>(exec, geometry, arrays, target.blocks.size(), shape.blocks.lanes);
  });
}

template <class G>
void Kernels<G>::curvature(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                           Workspace const& workspace, CylinderBand const& direction, ConstSinogram const& weights,
                           Array1<double> const& per_view) {
  for_each_batch(shape.views.size(), [&](int first, int count) {
    project(exec, geometry, direction, first, count, 0, workspace.views());
    sum_weighted_squares(exec, workspace.views(), weights, first, count, shape.num_channels, shape.blocks,
                         workspace.rows(), per_view);
  });
}

template <class G>
void Kernels<G>::descend(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                         Workspace const& workspace, PendingStep const& step, ConstSinogram const& weights,
                         Sinogram const& weighted_error) {
  if (step.direction.pixels.size() == 0) return;
  for_each_batch(shape.views.size(), [&](int first, int count) {
    project(exec, geometry, step.direction, first, count, 0, workspace.views());
    subtract_step(exec, workspace.views(), weights, step.alpha, first, count, shape.num_channels, weighted_error);
  });
}

template <class G>
void Kernels<G>::projection_curvature(ExecSpace const& exec, ProjectorShape const& shape, Workspace const& workspace,
                                      ConstSinogram const& projection, ConstSinogram const& weights,
                                      Array1<double> const& per_view) {
  sum_projections(exec, projection, weights, shape, workspace.rows(), per_view);
}

template <class G>
void Kernels<G>::subtract_projection(ExecSpace const& exec, ProjectorShape const& shape,
                                     ConstSinogram const& projection, Real alpha, ConstSinogram const& weights,
                                     Sinogram const& weighted_error) {
  if (shape.views.empty()) return;
  subtract_step(exec, projection, weights, alpha, 0, shape.views.size(), shape.num_channels, weighted_error);
}

template <class G>
void Kernels<G>::descend_and_back_project(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                                          Workspace const& workspace, PendingStep const& step,
                                          ConstSinogram const& weights, Sinogram const& weighted_error,
                                          std::vector<TreeNode> const& nodes, PixelList const& pixels,
                                          Cylinders const& out) {
  int const num_blocks = shape.blocks.num_blocks();
  descend(exec, geometry, shape, workspace, step, weights, weighted_error);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    back_project(exec, geometry, shape, workspace, weighted_error,
                 {nodes[n], {0, num_blocks}, pixels, Position::by_entry, blocks_of_node(out, n, num_blocks), false});
}

}  // namespace strata::gpu_teams
