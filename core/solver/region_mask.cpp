#include "core/solver/region_mask.hpp"

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/types.hpp"

namespace strata {

namespace {

RegionMask filled_mask(int num_rows, int num_cols, std::uint8_t value) {
  require(num_rows > 0 && num_cols > 0, "use_ror_mask: the plane must have at least one row and one column, it has ",
          num_rows, " rows and ", num_cols, " columns");
  Index const size = Index(num_rows) * num_cols;
  require(size <= std::numeric_limits<int>::max(), "use_ror_mask: the plane must have fewer than 2^31 pixels, it has ",
          num_rows, " x ", num_cols);
  return {num_rows, num_cols, std::vector<std::uint8_t>(static_cast<std::size_t>(size), value)};
}

/// ((i - c) / c)^2 with c = (n - 1) / 2. Squares are stored before they are added: a fused multiply-add would round
/// pixels on the rim of the ellipse differently.
std::vector<double> squared_radii(int n, bool reference_mode) {
  double const centre = (n - 1) / 2.0;
  double const single = reference_mode ? std::numeric_limits<double>::quiet_NaN() : 0;
  std::vector<double> squares(static_cast<std::size_t>(n), single);
  if (n == 1) return squares;
  for (int i = 0; i < n; ++i) {
    double const radius = (i - centre) / centre;
    squares[static_cast<std::size_t>(i)] = radius * radius;
  }
  return squares;
}

}  // namespace

std::vector<int> RegionMask::pixel_indices() const {
  std::vector<int> indices;
  indices.reserve(inside.size());
  for (std::size_t p = 0; p < inside.size(); ++p)
    if (inside[p]) indices.push_back(static_cast<int>(p));
  require(!indices.empty(), "use_ror_mask: the region must hold at least one pixel, none of the ", num_rows, " x ",
          num_cols, " is inside");
  return indices;
}

RegionMask ellipse_mask(int num_rows, int num_cols, bool reference_mode) {
  RegionMask mask = filled_mask(num_rows, num_cols, 0);
  std::vector<double> const rows = squared_radii(num_rows, reference_mode);
  std::vector<double> const cols = squared_radii(num_cols, reference_mode);
  std::size_t p = 0;
  for (double const row : rows)
    for (double const col : cols) mask.inside[p++] = col + row <= 1.0;
  return mask;
}

RegionMask full_mask(int num_rows, int num_cols) {
  return filled_mask(num_rows, num_cols, 1);
}

RegionMask custom_mask(int num_rows, int num_cols, std::span<float const> values) {
  RegionMask mask = filled_mask(num_rows, num_cols, 0);
  require(values.size() == mask.inside.size(), "use_ror_mask: the mask must have ", num_rows, " x ", num_cols,
          " values, it has ", values.size());
  for (std::size_t p = 0; p < values.size(); ++p) {
    require(values[p] == 0.0f || values[p] == 1.0f, "use_ror_mask: the mask must hold zeros and ones, found ",
            values[p], " at row ", p / static_cast<std::size_t>(num_cols), ", column ",
            p % static_cast<std::size_t>(num_cols));
    mask.inside[p] = values[p] == 1.0f;
  }
  require(std::ranges::count(mask.inside, 1) > 0, "use_ror_mask: the mask must have at least one 1, all ",
          values.size(), " values are 0");
  return mask;
}

}  // namespace strata
