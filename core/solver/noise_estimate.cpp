#include "core/solver/noise_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "core/solver/regularisation.hpp"

namespace strata {
namespace {

constexpr double largest_sample = 5e6;  // voxels

/// Where sums over a row of the sample go.
struct DeviationSums {
  double deviation = 0;
  Index count = 0;
};

/// Adds one cylinder: `here` and its neighbours, `n` slices.
void add_cylinder(float const* here, float const* before_row, float const* before_col, int n, float threshold,
                  DeviationSums& sums) {
  double deviation = 0;
  int count = 0;
  auto const add = [&](int k, float before) {
    double const a = here[k], b = before_row[k], c = before_col[k], d = before;
    double const mean = 0.25 * (a + b + c + d);
    double const variance =
        0.25 * ((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean) + (d - mean) * (d - mean));
    bool const inside = here[k] >= threshold;
    deviation += inside ? std::sqrt(variance) : 0.0;
    count += inside ? 1 : 0;
  };
  add(0, here[n - 1]);
  for (int k = 1; k < n; ++k) add(k, here[k - 1]);
  sums.deviation += deviation;
  sums.count += count;
}

/// The smallest value that counts as object.
float support_threshold(ImageSample const& sample, double noise) {
  double magnitude = 0;
  float largest = sample.values.front();
  for (float const value : sample.values) {
    magnitude += std::abs(double(value));
    largest = std::max(largest, value);
  }
  double const wanted = 0.05 * magnitude / static_cast<double>(sample.values.size()) + noise;
  return wanted < largest ? static_cast<float>(wanted) : largest;
}

std::vector<int> every(int stride, int size) {
  std::vector<int> entries;
  for (int i = 0; i < size; i += stride) entries.push_back(i);
  return entries;
}

}  // namespace

ImageSample strided_sample(ImageRows const& image, int stride) {
  if (stride == 1) return row_sample(image, every(1, image.shape.num_rows));
  auto const rows = every(stride, image.shape.num_rows), cols = every(stride, image.shape.num_cols),
             slices = every(stride, image.shape.num_slices);
  ImageSample sample{{int(rows.size()), int(cols.size()), int(slices.size())}, {}};
  sample.values.reserve(static_cast<std::size_t>(sample.shape.size()));
  std::vector<float> row(static_cast<std::size_t>(Index(image.shape.num_cols) * image.shape.num_slices));
  for (int const i : rows) {
    image.read(i, row);
    for (int const j : cols)
      for (int const k : slices) sample.values.push_back(row[std::size_t(j) * image.shape.num_slices + k]);
  }
  return sample;
}

ImageSample row_sample(ImageRows const& image, std::vector<int> const& rows) {
  auto const per_row = static_cast<std::size_t>(Index(image.shape.num_cols) * image.shape.num_slices);
  ImageSample sample{{int(rows.size()), image.shape.num_cols, image.shape.num_slices}, {}};
  sample.values.resize(rows.size() * per_row);
  for (std::size_t i = 0; i < rows.size(); ++i)
    image.read(rows[i], std::span(sample.values).subspan(i * per_row, per_row));
  return sample;
}

double mean_local_deviation(ImageSample const& sample, double noise) {
  auto const [rows, cols, slices] = sample.shape;
  float const threshold = support_threshold(sample, noise);
  DeviationSums sums;
  auto const cylinder = [&, num_cols = cols, num_slices = slices](int row, int col) {
    return sample.values.data() + (Index(row) * num_cols + col) * num_slices;
  };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      add_cylinder(cylinder(i, j), cylinder(i > 0 ? i - 1 : rows - 1, j), cylinder(i, j > 0 ? j - 1 : cols - 1), slices,
                   threshold, sums);
  return sums.deviation / static_cast<double>(sums.count);
}

double estimate_noise(ImageRows const& image) {
  auto const size = static_cast<double>(image.shape.size());
  int const stride = static_cast<int>(std::nearbyint(std::cbrt(size / std::min(largest_sample, size))));
  ImageSample const sample = strided_sample(image, stride);
  return mean_local_deviation(sample, mean_local_deviation(sample, 0));
}

double denoiser_sigma_x(ImageRows const& image, double sigma_noise, double sharpness) {
  ImageSample const sample = row_sample(image, regularisation_views(image.shape.num_rows));
  return 0.2 * std::exp2(sharpness) * mean_local_deviation(sample, sigma_noise);
}

}  // namespace strata
