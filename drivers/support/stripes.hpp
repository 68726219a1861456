/// Stripes of a sinogram, which become rings in the image: detector pixels that read too much or too little in every
/// view. Works on batches of views, in two passes: one to find the stripes, one to take them away.
#pragma once

#include <span>
#include <vector>

#include "core/base/types.hpp"

namespace strata {

/// The neighbourhood that a pixel is compared with; both numbers are odd.
struct StripeWindow {
  int num_rows = 5;
  int num_channels = 21;
};

/// Finds stripes that are the same in all views: the mean over the views of each pixel against its smoothed self.
/// A mean over many directions is smooth along a detector row, whatever the object; what is rough in it is the
/// detector. It is smoothed by the median over a window, which a few wild pixels do not move, and then by the mean over
/// half the window's channels, since steps of the median would be stripes again. At the edges the window is cut off.
/// What is circular about the rotation axis and narrower than half the window is taken for a stripe, too.
/// Source: N. T. Vo et al., "Superior techniques for eliminating ring artifacts in X-ray micro-tomography", Opt.
/// Express 26 (2018) 28396, on such normalisation and on medians against stripes.
class StripeFinder {
 public:
  StripeFinder(int num_rows, int num_channels);

  /// \param views [view][row][channel], any whole views, finite
  void add(std::span<float const> views);

  /// What the pixels read too much: [row][channel], as the line integrals. \throws InputError for a window that is
  /// even or not positive. At least one view must have been added.
  std::vector<float> stripes(StripeWindow window) const;

 private:
  int num_rows_;
  int num_channels_;
  Index num_views_ = 0;
  std::vector<double> sum_;  ///< [row][channel] over the views
};

/// Takes `stripes` [row][channel] away from each of `views` [view][row][channel].
void subtract_stripes(std::span<float> views, std::span<float const> stripes);

}  // namespace strata
