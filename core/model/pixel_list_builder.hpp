/// Makes pixel lists from indices on the host.
#pragma once

#include <vector>

#include "core/model/pixel_list.hpp"

namespace strata {

/// `indices` (row * num_cols + col) in Z order of (row, col): every aligned 2^k x 2^k square is one run. Equal indices
/// stay beside each other.
std::vector<int> z_order(std::vector<int> indices, int num_cols);

/// Copies `indices` to the device of `exec` in the order given; projectors are fastest on Z order. Allocates, and waits
/// for the copies. \throws InputError for a negative index.
PixelList make_pixel_list(ExecSpace const& exec, std::vector<int> const& indices, int num_cols);

}  // namespace strata
