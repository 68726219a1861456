/// Host tiles: the kernels of projectors whose detector rows are the slices of the volume, with Kokkos::simd over the
/// lanes of a slice block. Every output has one writer and one order of additions, whatever the number of threads.
#pragma once

#include "geometries/host_workspace.hpp"
#include "geometries/projector_arrays.hpp"

namespace strata::host_tiles {

/// See Projector for what the functions compute. G is the footprint of the geometry.
template <class G>
struct Kernels {
  using Workspace = host_tiles::Workspace;

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

}  // namespace strata::host_tiles
