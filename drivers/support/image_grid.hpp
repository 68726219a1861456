/// The grid of a volume, whether a scan gave it or not.
#pragma once

#include <array>

#include "core/model/tomography_model.hpp"

namespace strata {

struct ImageGrid {
  ReconShape shape;
  std::array<double, 3> pitch{1, 1, 1};  ///< of voxels along row, col and slice, ALU

  ImageGrid(ReconShape const& image_shape, std::array<double, 3> const& voxel_pitch)
      : shape(image_shape), pitch(voxel_pitch) {}
  /// That of the model's volumes.
  ImageGrid(TomographyModel const& model) : shape(model.recon_shape()) {
    auto const& p = model.geometry().params();
    pitch = {p.delta_voxel * p.voxel_row_aspect, p.delta_voxel, p.delta_voxel * p.voxel_slice_aspect};
    // Parallel beams: a slice is what a detector row sees, whatever the pitch in the plane.
    if (model.geometry().type() == "parallel") pitch[2] = p.delta_det_row;
  }
};

}  // namespace strata
