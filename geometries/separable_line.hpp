/// Rays of geometries that couple slices: what one pixel's cylinder does in one view. The weight of (slice, row) is the
/// overlap of the slice's box with the row, times 1 / cos(phi) of the slice. Source: docs/design geometry, section 4.3.
#pragma once

#include "core/base/types.hpp"

namespace strata::separable {

/// Boxes of a cylinder's slices on the row axis, in detector rows: slice k is [left + step * k, left + step * k +
/// width), row m the interval [m, m + 1).
struct RowLine {
  double left;
  double step;
  Real width;
  Real rise;  ///< tan(phi)^2 of slice k = rise * squared_heights[k]
};

/// Lines whose slices move by fewer rows are projected forward slice by slice.
constexpr double steepest_step = 1e-3;

/// Where taps are cut off: only those within `rows` of the row nearest to the middle of a slice's box and, in forward
/// projection, within `slices` of the slice nearest to the middle of a row. Reference mode alone has limits.
struct TapLimits {
  static constexpr int none = 1 << 28;
  int rows = none;  ///< also limits channels
  int slices = none;
};

/// How 1 / cos(phi) = sqrt(1 + t) is found from t = tan(phi)^2.
enum class SecantKind { one, polynomial, root };

struct SecantRule {
  SecantKind kind = SecantKind::one;
  Real coefficients[4] = {1, 0, 0, 0};  ///< of t^i
  int degree = 0;                       ///< coefficients beyond are 0

  SecantRule() = default;
  /// For t in [0, largest].
  explicit SecantRule(double largest);
};

}  // namespace strata::separable
