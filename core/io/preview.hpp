/// Grey pictures of slices.
#pragma once

#include <string>
#include <vector>

namespace strata {

/// The values shown as black and white.
struct GreyWindow {
  double low = 0;
  double high = 1;
};

/// 0.5 and 99.5 percentiles of the finite values, so that a few outliers do not blacken the picture. {0, 1} when there
/// are none.
GreyWindow robust_window(std::vector<float> values);

/// Writes an 8-bit PNG of `values` [height][width], first row on top, one pixel a value. Values outside the window are
/// cut, NaN is black; an empty window gives mid-grey. \throws WriteError; nothing is left then.
void write_preview(std::string const& path, std::vector<float> const& values, int height, int width,
                   GreyWindow const& window);
/// As above with robust_window().
void write_preview(std::string const& path, std::vector<float> const& values, int height, int width);

}  // namespace strata
