/// GPU teams: the kernels of geometries whose slices contribute to several detector rows. One writer per output and a
/// fixed order of additions; no atomics.
#pragma once

#include <memory>
#include <vector>

#include "geometries/projector_arrays.hpp"
#include "geometries/separable_line.hpp"

namespace strata::separable_teams {

/// Constant over a projector's life.
struct TeamShape {
  ProjectorShape projector;  ///< its blocks are those of the slices
  int num_slices = 0;
  int num_rows = 0;
  separable::TapLimits limits;
  bool oblique = true;  ///< slices are not all seen at right angles: 1 / cos(phi) is not 1

  /// What the helpers of projectors with rows for slices want to know.
  ProjectorShape rows() const {
    return {projector.views, projector.groups, SliceBlocks::single(num_rows), projector.num_channels};
  }
};

/// G: footprint of the geometry, see SeparableProjector. Allocates on `exec`.
template <class G>
std::unique_ptr<Projector> make_team_projector(ExecSpace const& exec, G const& geometry, TeamShape const& shape,
                                               std::vector<TreeNode> nodes);

/// What that allocates.
Index team_projector_bytes(ExecSpace const& exec, TeamShape const& shape);

}  // namespace strata::separable_teams
