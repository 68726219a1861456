/// Automatic noise and prior scales of a reconstruction, from a sample of the views.
#pragma once

#include <span>
#include <vector>

#include "core/model/shapes.hpp"

namespace strata {

/// The views that the automatic choice looks at: 0, step, 2 step, .. with step = max(num_views / min(20, num_views),
/// 1); 20 to 39 views, or all when there are fewer.
std::vector<int> regularisation_views(int num_views);

/// The peak of the histogram nearest to zero, with its flanks.
struct Background {
  double left = 0;   ///< centre of the bin where the peak ends below
  double right = 0;  ///< and above
};

/// \throws InputError for values that are not finite.
Background background_of(std::span<float const> sinogram);

/// Where the object is seen: line integrals not below `threshold`.
struct Support {
  double threshold = 0;  ///< -infinity when trivial
  bool trivial = false;  ///< no value stands out of the background: everything counts as object
  bool contains(float s) const { return s >= threshold; }
};

/// \throws InputError for values that are not finite. Source: solver specification 4.1.
Support support_of(std::span<float const> sinogram);

struct RegularisationInput {
  std::span<float const> sinogram;  ///< [view][row][channel], the views of regularisation_views()
  std::span<float const> weights;   ///< same, or empty for ones
  SinogramShape shape;              ///< of `sinogram`: num_views is the number of sampled views
  ReconShape recon_shape;
  double delta_voxel = 1;        ///< ALU, along columns
  double delta_voxel_row = 1;    ///< ALU, along rows; only the translation geometry looks at it
  double delta_det_channel = 1;  ///< ALU
  double magnification = 1;      ///< source_detector_dist / source_iso_dist; 1 for parallel rays
  double snr_db = 30;
  double sharpness = 1;
  bool translation = false;  ///< translation geometry: rays run along rows, the object is never inside the detector
};

struct Regularisation {
  double sigma_y = 0;     ///< no unit
  double sigma_x = 0;     ///< 1/ALU
  double sigma_prox = 0;  ///< 1/ALU
  Support support;
  double touching_fraction = 0;      ///< part of the sampled (view, row) whose first or last channel sees the object
  bool laterally_truncated = false;  ///< the object reaches beyond the detector: worth a warning
};

/// \throws InputError when values are not finite, or when the sampled views leave a scale of zero.
/// Source: solver specification 4.
Regularisation automatic_regularisation(RegularisationInput const& input);

}  // namespace strata
