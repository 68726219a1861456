/// What the choice of devices needs to know of a scan.
#pragma once

#include <algorithm>
#include <vector>

#include "core/model/geometry.hpp"
#include "core/placement/device_choice.hpp"

namespace strata {

/// A reconstruction or projection of `geometry` in the pixels of `mask`. Bytes are those of the sinograms and volumes
/// that iterative reconstruction holds: error, weights and one more; image, Hessian, gradient and what is as large.
inline DeviceWork device_work(Geometry const& geometry, std::vector<bool> const& mask) {
  auto const& params = geometry.params();
  DeviceWork work;
  work.num_slices = params.recon.num_slices;
  work.num_views = params.sinogram.num_views;
  work.num_pixels = static_cast<Index>(std::count(mask.begin(), mask.end(), true));
  SliceBlocks const rows = geometry.det_row_blocks(SliceBlocks(work.num_slices, 2));
  work.couples_slices = rows.num_shards == 1;
  work.bytes = Index(sizeof(Real)) * (3 * params.sinogram.size() + 5 * params.recon.size());
  return work;
}

/// Denoising of `num_pixels` cylinders of a volume. Bytes are those of the image and the denoised one; the rest is
/// small.
inline DeviceWork device_work(ReconShape const& shape, Index num_pixels) {
  DeviceWork work;
  work.num_slices = shape.num_slices;
  work.num_views = 0;
  work.num_pixels = num_pixels;
  work.bytes = Index(sizeof(Real)) * 2 * shape.size();
  return work;
}

}  // namespace strata
