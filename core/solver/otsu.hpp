/// Thresholds that part the values of an image into classes.
#pragma once

#include "core/solver/histogram.hpp"

namespace strata {

/// The `num_classes` - 1 thresholds, ascending, that make the variance within the classes least (Otsu); each is the
/// left edge of the first bin of its upper class. Exact for the histogram. \throws InputError where the histogram has
/// fewer filled bins than classes.
std::vector<double> otsu_thresholds(Histogram const& histogram, int num_classes);

}  // namespace strata
