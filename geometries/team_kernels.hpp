/// GPU teams: the kernels of projectors whose detector rows are the slices of the volume. Vector lanes are the lanes of
/// a slice block. One writer per output and a fixed order of additions; no atomics.
#pragma once

#include <vector>

#include "core/placement/memory.hpp"
#include "geometries/projector_arrays.hpp"

namespace strata::gpu_teams {

/// Memory that the kernels need, allocated once per projector.
class Workspace {
 public:
  static constexpr int batch_views = 32;  ///< that are projected at a time when the projection is not kept

  Workspace(ExecSpace const& exec, ProjectorShape const& shape)
      : views_(make_view<Sinogram>(exec, "strata::projector::views", batch_views, shape.blocks.num_blocks(),
                                   shape.num_channels, shape.blocks.lanes)),
        rows_(make_view<Array3<double>>(exec, "strata::projector::rows", batch_views, shape.blocks.num_blocks(),
                                        shape.blocks.lanes)) {}
  /// What that allocates.
  static Index bytes(ExecSpace const&, ProjectorShape const& shape) {
    Index const lanes = Index(batch_views) * shape.blocks.num_blocks() * shape.blocks.lanes;
    return lanes * (shape.num_channels * Index(sizeof(Real)) + Index(sizeof(double)));
  }
  Sinogram const& views() const { return views_; }
  Array3<double> const& rows() const { return rows_; }

 private:
  Sinogram views_;       ///< [view of the batch][block][channel][lane]
  Array3<double> rows_;  ///< [view of the batch][block][lane]
};

/// See Projector for what the functions compute. G is the footprint of the geometry.
template <class G>
struct Kernels {
  using Workspace = gpu_teams::Workspace;

  static void forward_project(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                              Workspace const& workspace, CylinderBand const& band, Sinogram const& sino);
  static void back_project(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                           Workspace const& workspace, ConstSinogram const& sino, BackTarget const& target);
  static void curvature(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                        Workspace const& workspace, CylinderBand const& direction, ConstSinogram const& weights,
                        Array1<double> const& per_view);
  static void descend(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape, Workspace const& workspace,
                      PendingStep const& step, ConstSinogram const& weights, Sinogram const& weighted_error);
  static void projection_curvature(ExecSpace const& exec, ProjectorShape const& shape, Workspace const& workspace,
                                   ConstSinogram const& projection, ConstSinogram const& weights,
                                   Array1<double> const& per_view);
  static void subtract_projection(ExecSpace const& exec, ProjectorShape const& shape, ConstSinogram const& projection,
                                  Real alpha, ConstSinogram const& weights, Sinogram const& weighted_error);
  static void descend_and_back_project(ExecSpace const& exec, G const& geometry, ProjectorShape const& shape,
                                       Workspace const& workspace, PendingStep const& step,
                                       ConstSinogram const& weights, Sinogram const& weighted_error,
                                       std::vector<TreeNode> const& nodes, PixelList const& pixels,
                                       Cylinders const& out);
};

}  // namespace strata::gpu_teams
