/// The scales of denoising, from the image itself.
#pragma once

#include <vector>

#include "core/solver/image_rows.hpp"

namespace strata {

/// Part of an image on the host, [row][col][slice].
struct ImageSample {
  ReconShape shape;
  std::vector<float> values;
};

/// Every `stride`-th voxel along each axis.
ImageSample strided_sample(ImageRows const& image, int stride);
/// The given rows.
ImageSample row_sample(ImageRows const& image, std::vector<int> const& rows);

/// Mean over the support of the standard deviation of a voxel and its three neighbours before it along row, column and
/// slice; the first voxel's neighbour is the last one. The support: values not below min(0.05 mean|v| + noise, max v).
double mean_local_deviation(ImageSample const& sample, double noise);

/// The standard deviation of the noise, from about 5 million voxels. Overestimates where the object itself has much
/// detail. Source: solver specification 5.
double estimate_noise(ImageRows const& image);

/// sigma_x = 0.2 * 2^sharpness * mean local deviation, from at most 39 rows. Source: solver specification 5.
double denoiser_sigma_x(ImageRows const& image, double sigma_noise, double sharpness);

}  // namespace strata
