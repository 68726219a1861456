/// The filter step of direct reconstruction for point sources: FDK.
#pragma once

#include "core/model/geometry.hpp"

namespace strata {

/// Source: L. A. Feldkamp et al., J. Opt. Soc. Am. A 1 (1984) 612; geometry.md 6.
struct PerspectiveFilterInput {
  GeometryParams params;            ///< magnification included
  double source_detector_dist = 1;  ///< infinite: all weights are 1
  bool curved = false;
  /// The reference's: flat formulas for curved detectors, and the factor 1 / (cos theta cos phi) of back projection
  /// left in the result.
  bool reference_mode = false;
};

DirectFilterParams perspective_filter(PerspectiveFilterInput const& input);

/// [channel] distance from the axis' image on the detector, and [row] from the mid-plane's, ALU.
std::vector<double> channel_distances(GeometryParams const& params);
std::vector<double> row_distances(GeometryParams const& params);

}  // namespace strata
