/// GPU kernels compiled for cone beams; on host builds they serve the tests.
#include "geometries/cone_footprint.hpp"
#include "geometries/separable_team_projector.hpp"

namespace strata::separable_teams {

template std::unique_ptr<Projector> make_team_projector(ExecSpace const&, ConeFootprint<false> const&, TeamShape const&,
                                                        std::vector<TreeNode>);
template std::unique_ptr<Projector> make_team_projector(ExecSpace const&, ConeFootprint<true> const&, TeamShape const&,
                                                        std::vector<TreeNode>);

Index team_projector_bytes(ExecSpace const& exec, TeamShape const& shape) {
  return gpu_teams::Workspace::bytes(exec, shape.rows());
}

}  // namespace strata::separable_teams
