/// An image that is looked at row by row on the host, wherever it lies.
#pragma once

#include <functional>
#include <span>

#include "core/model/shapes.hpp"
#include "core/placement/exchange_host.hpp"

namespace strata {

struct ImageRows {
  ReconShape shape;
  /// values [col][slice] = a row; may throw.
  std::function<void(int row, std::span<float> values)> read;
};

/// The rows of `volume`. Allocates staging for one row, which the result owns.
ImageRows rows_of(ShardedVolume const& volume, ReconShape const& shape);

}  // namespace strata
