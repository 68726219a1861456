#include "geometries/pixel_correlations.hpp"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

/// Two boxes of width `box` and two of width `channel`, each of area 1, convolved, at distance `shift`: the mean over
/// all positions on the channels of the product of two pixels' responses.
double overlap(double box, double channel, double shift) {
  double sum = 0;
  // A box is the difference of two steps, so four of them are sixteen cubes.
  for (int corner = 0; corner < 16; ++corner) {
    double at = shift;
    int sign = 1;
    for (int k = 0; k < 4; ++k) {
      bool const upper = (corner >> k & 1) != 0;
      at += (upper ? -0.5 : 0.5) * (k < 2 ? box : channel);
      if (upper) sign = -sign;
    }
    double const reach = std::max(at, 0.0);
    sum += sign * reach * reach * reach / 6;
  }
  return sum / (box * box * channel * channel);
}

}  // namespace

PixelCorrelations parallel_pixel_correlations(GeometryParams const& params, std::vector<double> const& angles) {
  double const dx = params.delta_voxel, dy = params.voxel_row_aspect * params.delta_voxel;
  double const channel = params.delta_det_channel;
  PixelCorrelations sums;
  double own = 0;
  for (double const angle : angles) {
    double const along_cols = std::cos(angle) * dx, along_rows = -std::sin(angle) * dy;
    double const box = std::max(std::abs(along_cols), std::abs(along_rows));
    own += overlap(box, channel, 0);
    sums.next_row += overlap(box, channel, along_rows);
    sums.next_col += overlap(box, channel, along_cols);
    sums.diagonal += overlap(box, channel, along_rows + along_cols);
    sums.antidiagonal += overlap(box, channel, along_rows - along_cols);
  }
  return {sums.next_row / own, sums.next_col / own, sums.diagonal / own, sums.antidiagonal / own};
}

}  // namespace strata
