#include "core/solver/regularisation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/error.hpp"

namespace strata {

namespace {

constexpr int num_bins = 400;

struct SinogramHistogram {
  double low;
  double width;  ///< of all bins together
  std::array<Index, num_bins> count{};
  double centre(int bin) const { return low + width * (bin + 0.5) / num_bins; }
};

SinogramHistogram histogram_of(std::span<float const> values) {
  ensure(!values.empty(), "histogram_of: there are no values");
  auto low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(std::isfinite(values[i]), "sinogram: values must be finite, found ", values[i], " at position ", i,
            " of the views that choose sigma_y and sigma_x");
    low = std::min<double>(low, values[i]);
    high = std::max<double>(high, values[i]);
  }
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  SinogramHistogram histogram{low, high - low};
  for (float const value : values) {
    // The right-most bin is closed.
    int const bin = static_cast<int>((value - low) / histogram.width * num_bins);
    ++histogram.count[static_cast<std::size_t>(std::min(bin, num_bins - 1))];
  }
  return histogram;
}

/// The bin of the peak nearest to zero; without peaks, the bin nearest to zero.
int background_peak(SinogramHistogram const& histogram) {
  auto const& h = histogram.count;
  int best = -1;
  int nearest = 0;
  for (int bin = 0; bin < num_bins; ++bin) {
    auto const i = static_cast<std::size_t>(bin);
    double const distance = std::abs(histogram.centre(bin));
    if (distance < std::abs(histogram.centre(nearest))) nearest = bin;
    bool const peak = bin == 0 ? h[0] > h[1] : bin < num_bins - 1 && h[i] >= h[i - 1] && h[i] > h[i + 1];
    if (peak && (best < 0 || distance < std::abs(histogram.centre(best)))) best = bin;
  }
  return best < 0 ? nearest : best;
}

/// A float's bits as an unsigned number of the same order.
std::uint32_t ordered_bits(float value) {
  auto const bits = std::bit_cast<std::uint32_t>(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

float from_ordered_bits(std::uint32_t bits) {
  return std::bit_cast<float>(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

/// The value at position `rank` of the sorted `values` that are not below `threshold`: two counting passes over 16 bits
/// each, since a copy of the sample could take gigabytes.
float ranked_value(std::span<float const> values, double threshold, Index rank) {
  std::uint32_t prefix = 0;
  for (int const shift : {16, 0}) {
    std::vector<Index> count(std::size_t{1} << 16, 0);
    for (float const value : values) {
      std::uint32_t const bits = ordered_bits(value);
      bool const counted = value >= threshold && (shift == 16 || (bits >> 16) == (prefix >> 16));
      if (counted) ++count[(bits >> shift) & 0xffffu];
    }
    std::uint32_t digit = 0;
    while (rank >= count[digit]) rank -= count[digit++];
    prefix |= digit << shift;
  }
  return from_ordered_bits(prefix);
}

double median_above(std::span<float const> values, double threshold) {
  Index const count = std::ranges::count_if(values, [&](float value) { return value >= threshold; });
  double const upper = ranked_value(values, threshold, count / 2);
  return count % 2 == 1 ? upper : 0.5 * (ranked_value(values, threshold, count / 2 - 1) + upper);
}

/// Length of a typical ray through the object, ALU.
double path_length(RegularisationInput const& input) {
  double const rows = input.recon_shape.num_rows;
  double const cols = input.recon_shape.num_cols;
  if (input.translation) return 0.5 * rows * input.delta_voxel_row;
  return std::min(2 * rows * cols / (rows + cols) * input.delta_voxel,
                  input.shape.num_det_channels * input.delta_det_channel / input.magnification);
}

/// Sums over the support.
struct SupportSums {
  Index count = 0;
  double weighted_square = 0;
  double absolute = 0;
};

SupportSums support_sums(RegularisationInput const& input, Support const& support) {
  SupportSums sums;
  for (std::size_t i = 0; i < input.sinogram.size(); ++i) {
    if (!support.contains(input.sinogram[i])) continue;
    double const s = input.sinogram[i];
    double const w = input.weights.empty() ? 1 : input.weights[i];
    ++sums.count;
    sums.weighted_square += w * s * s;
    sums.absolute += std::abs(s);
  }
  return sums;
}

double touching_fraction(RegularisationInput const& input, Support const& support) {
  auto const channels = static_cast<std::size_t>(input.shape.num_det_channels);
  Index touching = 0;
  for (std::size_t i = 0; i < input.sinogram.size(); i += channels)
    touching += support.contains(input.sinogram[i]) || support.contains(input.sinogram[i + channels - 1]);
  return static_cast<double>(touching) / (double(input.shape.num_views) * input.shape.num_det_rows);
}

}  // namespace

std::vector<int> regularisation_views(int num_views) {
  require(num_views > 0, "sinogram: at least one view is needed, there are ", num_views);
  int const step = std::max(num_views / std::min(20, num_views), 1);
  std::vector<int> views;
  for (int view = 0; view < num_views; view += step) views.push_back(view);
  return views;
}

Background background_of(std::span<float const> sinogram) {
  SinogramHistogram const histogram = histogram_of(sinogram);
  int const peak = background_peak(histogram);
  auto const& h = histogram.count;
  double const cutoff = 0.1 * static_cast<double>(h[static_cast<std::size_t>(peak)]);
  auto const above = [&](int bin) { return static_cast<double>(h[static_cast<std::size_t>(bin)]) > cutoff; };
  int left = peak;
  int right = peak;
  while (left > 0 && above(left)) --left;
  while (right < num_bins - 1 && above(right)) ++right;
  return {histogram.centre(left), histogram.centre(right)};
}

Support support_of(std::span<float const> sinogram) {
  Background const background = background_of(sinogram);
  double const object = background.right + (background.right - background.left);
  double const largest = *std::ranges::max_element(sinogram);
  if (largest <= 0 || largest < object) return {-std::numeric_limits<double>::infinity(), true};
  return {0.25 * median_above(sinogram, object), false};
}

Regularisation automatic_regularisation(RegularisationInput const& input) {
  ensure(static_cast<Index>(input.sinogram.size()) == input.shape.size(),
         "automatic_regularisation: ", input.sinogram.size(), " line integrals, the shape says ", input.shape.size());
  ensure(input.weights.empty() || input.weights.size() == input.sinogram.size(),
         "automatic_regularisation: ", input.weights.size(), " weights for ", input.sinogram.size(), " line integrals");

  Regularisation result;
  result.support = support_of(input.sinogram);
  SupportSums const sums = support_sums(input, result.support);
  double const count = static_cast<double>(sums.count);
  double const pitch = input.delta_voxel * input.magnification / input.delta_det_channel;
  result.sigma_y = std::pow(10, -input.snr_db / 20) * std::sqrt(sums.weighted_square / count) * std::sqrt(pitch);
  double const typical_value = sums.absolute / count / path_length(input);
  result.sigma_x = 0.2 * std::exp2(input.sharpness) * typical_value;
  result.sigma_prox = result.sigma_x;
  require(std::isfinite(result.sigma_y) && std::isfinite(result.sigma_x) && result.sigma_y > 0 && result.sigma_x > 0,
          "automatic regularisation: sigma_y and sigma_x must come out above 0, they are ", result.sigma_y, " and ",
          result.sigma_x, " (are the sampled views or their weights all 0? set sigma_y and sigma_x by hand)");
  if (!result.support.trivial) result.touching_fraction = touching_fraction(input, result.support);
  result.laterally_truncated = !input.translation && result.touching_fraction > 0.02;
  return result;
}

}  // namespace strata
