/// GPU teams, geometries that couple slices: the projector. Included where it is instantiated.
#pragma once

#include <utility>

#include "geometries/separable_team_back.hpp"
#include "geometries/separable_team_forward.hpp"
#include "geometries/separable_team_kernels.hpp"
#include "geometries/team_sweeps.hpp"

namespace strata::separable_teams {

template <class G>
class TeamProjector final : public Projector {
 public:
  TeamProjector(ExecSpace const& exec, G geometry, TeamShape const& shape, std::vector<TreeNode> nodes)
      : geometry_(std::move(geometry)), shape_(shape), nodes_(std::move(nodes)), workspace_(exec, shape_.rows()) {
    static_assert(sizeof(G) <= 256, "kernels copy the footprint by value");
  }

  bool couples_slices() const override { return true; }

  void forward_project(ExecSpace const& exec, CylinderBand const& band, Sinogram const& sino) const override {
    project(exec, band, 0, shape_.projector.views.size(), sino);
  }

  void back_project(ExecSpace const& exec, TreeNode node, ConstSinogram const& sino, int power, Range blocks,
                    PixelList const& pixels, Position position, Cylinders const& out) const override {
    if (blocks.empty() || pixels.size() == 0) return;
    back_project_node(exec, geometry_,
                      BackArrays{lines_of(sino), lines_of(out), Pixels(pixels), local_groups(node, shape_.projector),
                                 shape_.projector.blocks, blocks, shape_.num_rows, shape_.limits.rows,
                                 position == Position::by_pixel, power == 2, shape_.oblique});
  }

  void curvature(ExecSpace const& exec, CylinderBand const& direction, ConstSinogram const& weights,
                 Array1<double> const& per_view) const override {
    gpu_teams::for_each_batch(shape_.projector.views.size(), [&](int first, int count) {
      project(exec, direction, first, count, workspace_.views());
      gpu_teams::sum_weighted_squares(exec, workspace_.views(), weights, first, count, shape_.rows().num_channels,
                                      shape_.rows().blocks, workspace_.rows(), per_view);
    });
  }

  void descend(ExecSpace const& exec, PendingStep const& step, ConstSinogram const& weights,
               Sinogram const& weighted_error) const override {
    if (step.direction.pixels.size() == 0) return;
    gpu_teams::for_each_batch(shape_.projector.views.size(), [&](int first, int count) {
      project(exec, step.direction, first, count, workspace_.views());
      gpu_teams::subtract_step(exec, workspace_.views(), weights, step.alpha, first, count, shape_.rows().num_channels,
                               weighted_error);
    });
  }

  void projection_curvature(ExecSpace const& exec, ConstSinogram const& projection, ConstSinogram const& weights,
                            Array1<double> const& per_view) const override {
    gpu_teams::sum_projections(exec, projection, weights, shape_.rows(), workspace_.rows(), per_view);
  }

  void subtract_projection(ExecSpace const& exec, ConstSinogram const& projection, Real alpha,
                           ConstSinogram const& weights, Sinogram const& weighted_error) const override {
    int const num_views = shape_.projector.views.size();
    if (num_views == 0) return;
    gpu_teams::subtract_step(exec, projection, weights, alpha, 0, num_views, shape_.rows().num_channels,
                             weighted_error);
  }

  void descend_and_back_project(ExecSpace const& exec, PendingStep const& step, ConstSinogram const& weights,
                                Sinogram const& weighted_error, PixelList const& pixels,
                                Cylinders const& out) const override {
    int const num_blocks = shape_.projector.blocks.num_blocks();
    descend(exec, step, weights, weighted_error);
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      back_project(exec, nodes_[n], weighted_error, 1, {0, num_blocks}, pixels, Position::by_entry,
                   blocks_of_node(out, n, num_blocks));
  }

  std::vector<TreeNode> const& nodes() const override { return nodes_; }

 private:
  /// Views [first, first + count) of the device, to view 0.. of `sino`.
  void project(ExecSpace const& exec, CylinderBand const& band, int first, int count, Sinogram const& sino) const {
    if (count == 0) return;
    project_views(exec, geometry_,
                  ForwardArrays{lines_of(sino), lines_of(band.values), Pixels(band.pixels), shape_.projector.blocks,
                                sino.extent_int(3), first, shape_.num_rows, shape_.limits.slices,
                                band.position == Position::by_pixel, band.accumulate, shape_.oblique},
                  count);
  }

  G geometry_;
  TeamShape shape_;
  std::vector<TreeNode> nodes_;
  gpu_teams::Workspace workspace_;
};

template <class G>
std::unique_ptr<Projector> make_team_projector(ExecSpace const& exec, G const& geometry, TeamShape const& shape,
                                               std::vector<TreeNode> nodes) {
  return std::make_unique<TeamProjector<G>>(exec, geometry, shape, std::move(nodes));
}

}  // namespace strata::separable_teams
