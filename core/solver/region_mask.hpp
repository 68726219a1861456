/// The region of reconstruction: which pixels of the (row, col) plane may change (`use_ror_mask`).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strata {

struct RegionMask {
  int num_rows = 0;
  int num_cols = 0;
  std::vector<std::uint8_t> inside;  ///< [row][col], 1 inside

  /// row * num_cols + col of the pixels inside, increasing. \throws InputError when there is none.
  std::vector<int> pixel_indices() const;
};

/// `use_ror_mask: true`: the pixels whose centres lie in the ellipse with semi-axes (n - 1) / 2 pixels. An axis with a
/// single pixel does not restrict; with `reference_mode` it makes the mask empty, as 0/0 does in MBIRJAX.
/// Source: solver specification 3.1.
RegionMask ellipse_mask(int num_rows, int num_cols, bool reference_mode = false);

/// `use_ror_mask: false`: every pixel.
RegionMask full_mask(int num_rows, int num_cols);

/// A mask of the user's, `values` [row][col] of zeros and ones. \throws InputError for another size, another value, or
/// when no pixel is inside.
RegionMask custom_mask(int num_rows, int num_cols, std::span<float const> values);

}  // namespace strata
