/// Cone beams as a Geometry, flat or curved detector, circular or helical, and how a deck describes them.
#pragma once

#include <memory>
#include <vector>

#include "core/io/deck.hpp"
#include "core/model/geometry.hpp"

namespace strata {

/// Lengths in ALU, angles in rad. The magnification in `common` follows from the distances.
struct ConeScanParams {
  GeometryParams common;
  std::vector<double> angles;            ///< [view]
  std::vector<double> helical_z_shifts;  ///< [view], or empty: zeros
  double source_detector_dist = 1;       ///< may be infinite
  double source_iso_dist = 1;
  bool use_curved_detector = false;
  bool reference_mode = false;
};

/// \throws InputError for impossible values.
std::shared_ptr<Geometry const> make_cone_scan(ConeScanParams params);

/// From section `geometry` of a deck. What is not given of recon_shape, delta_voxel and recon_slice_offset is
/// automatic.
std::shared_ptr<Geometry const> make_cone_scan(DeckSection const& geometry, SinogramShape const& shape);

/// [slice] factors s for the mean of a slice. Source: solver.md 2.5.
std::vector<double> cone_mean_damping(ConeScanParams const& params);

/// Reference mode: [slice] views / number of views that see the slice at the axis, 0 where there is none; empty unless
/// helical. Source: geometry.md 6.4. By default the detector rows that each voxel is seen by count, see RowFan.
std::vector<float> helical_slice_weights(ConeScanParams const& params);

}  // namespace strata
