/// How alike the projections of neighbouring pixels are, from the boxes that they throw on the channels.
#pragma once

#include <vector>

#include "core/model/geometry.hpp"

namespace strata {

/// Of parallel beams at `angles` (rad). A pixel's box is as wide as its wider side seen from the view, its corners may
/// lie anywhere between those of channels. Lengths as in `params`.
PixelCorrelations parallel_pixel_correlations(GeometryParams const& params, std::vector<double> const& angles);

}  // namespace strata
