/// The projector of geometries whose slices contribute to several detector rows.
#pragma once

#include <utility>

#include "geometries/separable_sweeps.hpp"

namespace strata {

/// G: footprint of the geometry, with members
///   view(v)                    numbers of one view
///   rays.box(view, row, col)   ChannelBox of a pixel; rays has no Views
///   rays.line(view, row, col)  separable::RowLine of a pixel
///   squared_heights(v)         [slice] see RowLine
///   num_channels, limits
template <class G>
class SeparableProjector final : public Projector {
 public:
  SeparableProjector(ExecSpace const& exec, G geometry, separable::SeparableShape const& shape,
                     std::vector<TreeNode> nodes)
      : geometry_(std::move(geometry)), shape_(shape), nodes_(std::move(nodes)), workspace_(exec, shape_) {
    static_assert(sizeof(G) <= 256, "kernels copy the footprint by value");
  }

  bool couples_slices() const override { return true; }

  void forward_project(ExecSpace const& exec, CylinderBand const& band, Sinogram const& sino) const override {
    separable::forward_project(exec, geometry_, shape_, workspace_, band, sino);
  }
  void back_project(ExecSpace const& exec, TreeNode node, ConstSinogram const& sino, int power, Range blocks,
                    PixelList const& pixels, Position position, Cylinders const& out) const override {
    separable::back_project(exec, geometry_, shape_, workspace_, sino,
                            {node, blocks, pixels, position, out, power == 2});
  }
  void curvature(ExecSpace const& exec, CylinderBand const& direction, ConstSinogram const& weights,
                 Array1<double> const& per_view) const override {
    separable::curvature(exec, geometry_, shape_, workspace_, direction, weights, per_view);
  }
  void descend(ExecSpace const& exec, PendingStep const& step, ConstSinogram const& weights,
               Sinogram const& weighted_error) const override {
    separable::descend(exec, geometry_, shape_, workspace_, step, weights, weighted_error);
  }
  void projection_curvature(ExecSpace const& exec, ConstSinogram const& projection, ConstSinogram const& weights,
                            Array1<double> const& per_view) const override {
    separable::projection_curvature(exec, shape_, workspace_.slots(exec), separable::rows_of(projection),
                                    separable::rows_of(weights), per_view.data());
  }
  void subtract_projection(ExecSpace const& exec, ConstSinogram const& projection, Real alpha,
                           ConstSinogram const& weights, Sinogram const& weighted_error) const override {
    separable::subtract_projection(exec, shape_, separable::rows_of(projection),
                                   {alpha, separable::rows_of(weights), separable::rows_of(weighted_error), nullptr});
  }
  void descend_and_back_project(ExecSpace const& exec, PendingStep const& step, ConstSinogram const& weights,
                                Sinogram const& weighted_error, PixelList const& pixels,
                                Cylinders const& out) const override {
    separable::descend_and_back_project(exec, geometry_, shape_, workspace_, step, weights, weighted_error, nodes_,
                                        pixels, out);
  }
  std::vector<TreeNode> const& nodes() const override { return nodes_; }

 private:
  G geometry_;
  separable::SeparableShape shape_;
  std::vector<TreeNode> nodes_;
  separable::Workspace workspace_;
};

}  // namespace strata
