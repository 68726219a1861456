/// The projector of geometries whose detector rows are the slices of the volume: only channels couple.
#pragma once

#include "core/model/projector.hpp"
#include "geometries/projector_arrays.hpp"

namespace strata {

/// G: footprint of the geometry. K: kernels, host tiles or GPU teams.
template <class G, class K>
class SliceProjector final : public Projector {
 public:
  SliceProjector(ExecSpace const& exec, G geometry, ProjectorShape shape, std::vector<TreeNode> nodes)
      : geometry_(std::move(geometry)), shape_(shape), nodes_(std::move(nodes)), workspace_(exec, shape_) {}

  bool couples_slices() const override { return false; }

  void forward_project(ExecSpace const& exec, CylinderBand const& band, Sinogram const& sino) const override {
    K::forward_project(exec, geometry_, shape_, workspace_, band, sino);
  }
  void back_project(ExecSpace const& exec, TreeNode node, ConstSinogram const& sino, int power, Range blocks,
                    PixelList const& pixels, Position position, Cylinders const& out) const override {
    K::back_project(exec, geometry_, shape_, workspace_, sino, {node, blocks, pixels, position, out, power == 2});
  }
  void curvature(ExecSpace const& exec, CylinderBand const& direction, ConstSinogram const& weights,
                 Array1<double> const& per_view) const override {
    K::curvature(exec, geometry_, shape_, workspace_, direction, weights, per_view);
  }
  void descend(ExecSpace const& exec, PendingStep const& step, ConstSinogram const& weights,
               Sinogram const& weighted_error) const override {
    K::descend(exec, geometry_, shape_, workspace_, step, weights, weighted_error);
  }
  void projection_curvature(ExecSpace const& exec, ConstSinogram const& projection, ConstSinogram const& weights,
                            Array1<double> const& per_view) const override {
    K::projection_curvature(exec, shape_, workspace_, projection, weights, per_view);
  }
  void subtract_projection(ExecSpace const& exec, ConstSinogram const& projection, Real alpha,
                           ConstSinogram const& weights, Sinogram const& weighted_error) const override {
    K::subtract_projection(exec, shape_, projection, alpha, weights, weighted_error);
  }
  void descend_and_back_project(ExecSpace const& exec, PendingStep const& step, ConstSinogram const& weights,
                                Sinogram const& weighted_error, PixelList const& pixels,
                                Cylinders const& out) const override {
    K::descend_and_back_project(exec, geometry_, shape_, workspace_, step, weights, weighted_error, nodes_, pixels,
                                out);
  }
  std::vector<TreeNode> const& nodes() const override { return nodes_; }

 private:
  G geometry_;
  ProjectorShape shape_;
  std::vector<TreeNode> nodes_;
  typename K::Workspace workspace_;
};

}  // namespace strata
