#include "core/solver/coarse_levels.hpp"

#include <algorithm>
#include <cmath>

namespace strata {

std::vector<bool> coarse_mask(std::vector<bool> const& mask, ReconShape const& fine, ReconShape const& coarse,
                              double factor) {
  std::vector<bool> found(static_cast<std::size_t>(coarse.num_pixels()), false);
  auto const cell = [&](int index, int fine_size, int coarse_size) {
    double const at = (index - (fine_size - 1) / 2.0) / factor + (coarse_size - 1) / 2.0;
    return std::clamp(static_cast<int>(std::lround(at)), 0, coarse_size - 1);
  };
  for (int pixel = 0; pixel < static_cast<int>(mask.size()); ++pixel) {
    if (!mask[static_cast<std::size_t>(pixel)]) continue;
    int const row = cell(pixel / fine.num_cols, fine.num_rows, coarse.num_rows);
    int const col = cell(pixel % fine.num_cols, fine.num_cols, coarse.num_cols);
    found[static_cast<std::size_t>(row) * coarse.num_cols + col] = true;
  }
  return found;
}

VCDOptions coarse_options(VCDOptions options) {
  options.acceleration = Acceleration::subspace;
  options.stop_threshold_change_pct = 0;
  options.stop_excess_pct = 0;
  options.finer_below_alpha = 0;
  options.slice_mean_damping = {};
  options.cells = {};
  options.max_exchange_bytes = 0;  // that of the fine grid may be larger than a coarse volume
  return options;
}

}  // namespace strata
