#include "core/solver/checkerboard.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace strata {

PixelPartition checkerboard_partition(std::vector<int> const& indices, int num_cols, int pixels_per_subset) {
  require(!indices.empty(), "denoise: expected pixels inside the region, there are none");
  ensure(num_cols > 0 && pixels_per_subset > 0, "checkerboard_partition: needs columns and pixels");
  int const rows_per_band = std::max(1, 2 * pixels_per_subset / num_cols);
  int const bands = indices.back() / num_cols / rows_per_band + 1;
  std::vector<std::vector<int>> white(bands), black(bands);
  for (int const pixel : indices) {
    int const row = pixel / num_cols;
    bool const is_white = (row + pixel % num_cols) % 2 == 0;
    (is_white ? white : black)[row / rows_per_band].push_back(pixel);
  }

  PixelPartition partition;
  auto const add = [&](std::vector<int>& subset) {
    if (!subset.empty()) partition.subsets.push_back(std::move(subset));
  };
  for (int band = 0; band <= bands; ++band) {
    if (band < bands) add(white[band]);
    if (band > 0) add(black[band - 1]);
  }
  partition.repeated.assign(partition.subsets.size(), {});
  return partition;
}

}  // namespace strata
