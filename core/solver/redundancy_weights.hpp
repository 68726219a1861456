/// Weights of rays that a scan measures more than once, or for unequal steps of angle, in direct reconstruction.
#pragma once

#include <string>
#include <vector>

#include "core/model/geometry.hpp"

namespace strata {

/// What to do about one kind of weights.
enum class Choice { automatic, on, off };

struct RedundancyOptions {
  Choice short_scan = Choice::automatic;  ///< weights of views: short scans, unequal steps of angle
  Choice offset = Choice::automatic;      ///< weights of channels: a detector that is displaced to one side
};

struct RedundancyWeights {
  std::vector<float> view_weights;  ///< [view][channel]; empty: ones
  /// Channels without rays to be added on either side: what the ramp puts there belongs to the image.
  int channels_before = 0;
  int channels_after = 0;
  std::vector<std::string> notes;     ///< what was chosen
  std::vector<std::string> warnings;  ///< why the result cannot be exact
};

/// Weights W, to be used with the common factor pi / views of the filter: over a scan on which each ray counts once in
/// total, (pi / views) sum W = integral over the angle.
///   Full circle (half circle for parallel rays): each view counts by the angle it stands for.
///   Short fan-beam scan of at least 180 degrees + fan: Parker's weights. Source: D. L. Parker, Med. Phys. 9 (1982)
///   254.
///     More than that: the same with a wider virtual fan. Source: M. D. Silver, Med. Phys. 27 (2000) 773.
///   Axis off the centre of the detector by more than 5 % of its width, full circle: smooth weights over the overlap.
///     Source: G. Wang, Med. Phys. 29 (2002) 1634.
///   Less than that: no weights but for unequal steps, and a warning.
/// Helical scans get channel weights alone.
RedundancyWeights redundancy_weights(RayFan const& fan, RedundancyOptions const& options = {});

/// Parker's weight of the ray at `angle` after the start of a scan over pi + 2 * `half_width`, fan angle `gamma`; the
/// ray (angle + pi + 2 gamma, -gamma) is the same and the two weights add up to 1.
double parker_weight(double angle, double gamma, double half_width);

}  // namespace strata
