/// GPU kernels compiled for translation and multi-axis scans; on host builds they serve the tests.
#include "geometries/multiaxis_footprint.hpp"
#include "geometries/separable_team_projector.hpp"
#include "geometries/translation_footprint.hpp"

namespace strata::separable_teams {

template std::unique_ptr<Projector> make_team_projector(ExecSpace const&, TranslationFootprint const&, TeamShape const&,
                                                        std::vector<TreeNode>);
template std::unique_ptr<Projector> make_team_projector(ExecSpace const&, MultiAxisFootprint const&, TeamShape const&,
                                                        std::vector<TreeNode>);

}  // namespace strata::separable_teams
