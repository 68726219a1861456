/// Raw projections, flats and darks to line integrals. Works on batches of views, so memory stays small.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/types.hpp"

namespace strata {

enum class FrameAverage { mean, median };

/// \throws InputError that lists the known names.
FrameAverage parse_frame_average(std::string const& name);

/// One value a pixel from several frames; values that are not finite are left out (NaN when none is finite).
///   frames  [frame][pixel], counts; pixels may be any band of the detector
std::vector<float> average_frames(std::span<float const> frames, int num_frames, FrameAverage average);

/// A pixel of the detector.
struct DetectorPixel {
  int row = 0;
  int channel = 0;
};

struct FlatField {
  int num_rows = 0;
  int num_channels = 0;
  std::vector<float> dark;  ///< [row][channel], counts; empty: no darks were taken, zero
  std::vector<float> flat;  ///< [row][channel], counts
  std::vector<DetectorPixel> defective;
  /// Transmissions below this are set to it. The default corresponds to a line integral of 11.5.
  double min_transmission = 1e-5;
};

/// What happened to the values of the views converted so far.
struct PreprocessCounts {
  Index converted = 0;     ///< all values
  Index clipped = 0;       ///< transmissions that were raised to min_transmission: projection at or below dark
  Index interpolated = 0;  ///< values of dead or defective pixels, and those that were not finite
};

/// line integral = -log((projection - dark) / (flat - dark)).
class LineIntegrals {
 public:
  /// Pixels whose flat is not above dark, or not finite, are dead; so are the defective ones. \throws InputError for
  /// wrong sizes, a defective pixel outside the detector, or when no pixel is alive.
  explicit LineIntegrals(FlatField field);

  /// Dead pixels, defective ones included.
  Index num_dead_pixels() const { return num_dead_; }

  /// Replaces counts by line integrals in place; all of them are finite afterwards. A dead pixel, or a count that is
  /// not finite, gets the mean of its good neighbours (of the 8 around it), pass by pass until none is left.
  ///   views  [view][row][channel], whole views
  /// \throws InputError when a view has no good pixel, with its position among the views converted so far.
  void convert(std::span<float> views, PreprocessCounts& counts) const;

 private:
  void convert_view(std::span<float> view, PreprocessCounts& counts) const;

  FlatField field_;
  std::vector<float> gain_;  ///< [pixel] 1 / (flat - dark), 0 for dead pixels
  Index num_dead_ = 0;
};

/// Fills the entries of `values` [row][channel] whose `good` is 0 with the mean of their good neighbours among the 8
/// around, pass by pass; a pass uses values of the one before only. At least one entry must be good.
void interpolate_from_neighbours(std::span<float> values, std::span<std::uint8_t> good, int num_rows, int num_channels);

/// A sentence when `values` do not look like line integrals but like counts (mean above 50) or like transmissions (none
/// below 0, the largest near 1 and held by the edges of the rows, where the beam usually is open); else empty.
///   values  [view][row][channel]
std::string doubt_about_line_integrals(std::span<float const> values, int num_channels);

}  // namespace strata
