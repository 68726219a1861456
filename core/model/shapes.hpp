/// Shapes of the two big arrays.
#pragma once

#include "core/base/types.hpp"

namespace strata {

struct SinogramShape {
  int num_views = 0;
  int num_det_rows = 0;
  int num_det_channels = 0;
  Index size() const { return Index(num_views) * num_det_rows * num_det_channels; }
  friend bool operator==(SinogramShape const&, SinogramShape const&) = default;
};

struct ReconShape {
  int num_rows = 0;
  int num_cols = 0;
  int num_slices = 0;
  Index num_pixels() const { return Index(num_rows) * num_cols; }
  Index size() const { return num_pixels() * num_slices; }
  friend bool operator==(ReconShape const&, ReconShape const&) = default;
};

}  // namespace strata
