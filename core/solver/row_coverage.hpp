/// Direct reconstruction of slices that not all views see.
#pragma once

#include <string>
#include <vector>

#include "core/model/tomography_model.hpp"

namespace strata {

/// What a scan's detector rows miss of a volume.
struct CoverageReport {
  Range whole;           ///< slices that every view sees at every pixel of the region
  std::string note;      ///< where seen views stand for others; empty: nowhere
  std::string warning;   ///< slices that views over less than 180 degrees see at the axis; empty: none
  bool complete = true;  ///< nothing to normalise
};
/// `reach`: largest distance of a pixel of the region from the axis, ALU.
CoverageReport row_coverage(RowFan const& fan, GeometryParams const& params, double reach);

/// Multiplies each voxel of the region by what the weights of all views add up to over what they add up to where the
/// view sees it; a part where its footprint is cut by the detector's edge. 0 where no view does. Filtered projections
/// of all directions are alike at the middle of a round object; elsewhere the result is approximate.
///   view_weights  [view][channel], of redundancy_weights(); empty: ones
void normalise_coverage(TomographyModel const& model, RowFan const& fan, std::vector<float> const& view_weights,
                        Range whole, ShardedVolume const& recon);

}  // namespace strata
