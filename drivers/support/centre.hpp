/// The rotation axis of a parallel-beam scan, found from its line integrals.
#pragma once

#include <span>

#include "core/model/shapes.hpp"

namespace strata {

struct CentreInput {
  std::span<float const> sinogram;  ///< [view][row][channel] line integrals; a few rows that show the object are enough
  SinogramShape shape;
  std::span<double const> angles;  ///< rad, any order; half a turn at least
};

struct CentreEstimate {
  double channel = 0;          ///< of the axis; the one to use
  double offset_channels = 0;  ///< channel - (num_det_channels - 1) / 2; times delta_det_channel = det_channel_offset

  double registration = 0;    ///< channel from opposite views laid over each other
  double mismatch = 0;        ///< of those views, 0 (equal) to 2 (nothing in common)
  double centre_of_mass = 0;  ///< channel from the sinusoid on which the views' centres of mass lie
  /// The object reaches beyond the detector, or is not the same in all views: centre_of_mass means nothing and was not
  /// used.
  bool truncated = false;
  /// The two disagree by more than a channel, or only one was to be had and it is not good: look at the result.
  bool doubtful = false;
};

/// View a + pi sees the mirror image of view a: p(a + pi, axis + u) = p(a, axis - u). Opposite views (interpolated
/// between neighbours in angle; extrapolated by half the gap when the scan stops one step short of half a turn) are
/// laid over each other, mirrored at every half channel, and the best place is refined by a parabola. Apart from that
/// the centres of mass of all views, c(a) = axis + A cos a + B sin a, are fitted, which guards against false matches
/// and replaces the registration where neighbouring views are too far apart for it. \throws InputError when the views
/// cover less than half a turn less one step, for values that are not finite, for fewer than 3 views, or when the
/// sinogram is empty of any object.
CentreEstimate find_centre(CentreInput const& input);

}  // namespace strata
