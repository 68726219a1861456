#include "drivers/support/stripes.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace strata {
namespace {

/// Entries within `half` of `centre` on an axis.
Range around(int centre, int half, int extent) {
  return {std::max(centre - half, 0), std::min(centre + half + 1, extent)};
}

double median_of(std::vector<double>& values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

/// Median over the window around each entry of `values` [row][channel].
std::vector<double> window_median(std::vector<double> const& values, int num_rows, int num_channels,
                                  StripeWindow window) {
  std::vector<double> result;
  result.reserve(values.size());
  std::vector<double> seen;
  for (int row = 0; row < num_rows; ++row)
    for (int channel = 0; channel < num_channels; ++channel) {
      Range const rows = around(row, window.num_rows / 2, num_rows);
      Range const channels = around(channel, window.num_channels / 2, num_channels);
      seen.clear();
      for (int r = rows.begin; r < rows.end; ++r) {
        auto const* const line = values.data() + Index(r) * num_channels;
        seen.insert(seen.end(), line + channels.begin, line + channels.end);
      }
      result.push_back(median_of(seen));
    }
  return result;
}

/// Mean over the channels within `half` of each entry of `line`.
std::vector<double> line_mean(std::span<double const> line, int half) {
  int const extent = static_cast<int>(line.size());
  std::vector<double> result(line.size());
  for (int channel = 0; channel < extent; ++channel) {
    Range const near = around(channel, half, extent);
    double sum = 0;
    for (int c = near.begin; c < near.end; ++c) sum += line[static_cast<std::size_t>(c)];
    result[static_cast<std::size_t>(channel)] = sum / near.size();
  }
  return result;
}

}  // namespace

StripeFinder::StripeFinder(int num_rows, int num_channels)
    : num_rows_(num_rows),
      num_channels_(num_channels),
      sum_(static_cast<std::size_t>(Index(num_rows) * num_channels), 0.0) {}

void StripeFinder::add(std::span<float const> views) {
  ensure(views.size() % sum_.size() == 0, "StripeFinder: ", views.size(), " values do not make views of ", sum_.size());
  for (std::size_t i = 0; i < views.size(); ++i) sum_[i % sum_.size()] += views[i];
  num_views_ += static_cast<Index>(views.size() / sum_.size());
}

std::vector<float> StripeFinder::stripes(StripeWindow window) const {
  for (int const extent : {window.num_rows, window.num_channels})
    require(extent >= 1 && extent % 2 == 1,
            "stripe removal: the window must have odd numbers of rows and channels, is ", window.num_rows, " x ",
            window.num_channels);
  ensure(num_views_ > 0, "StripeFinder: no view was added");
  std::vector<double> mean(sum_);
  for (double& value : mean) value /= static_cast<double>(num_views_);
  auto const median = window_median(mean, num_rows_, num_channels_, window);
  std::vector<float> result;
  result.reserve(mean.size());
  for (std::size_t begin = 0; begin < mean.size(); begin += static_cast<std::size_t>(num_channels_)) {
    std::span<double const> const line(median.data() + begin, static_cast<std::size_t>(num_channels_));
    auto const smooth = line_mean(line, window.num_channels / 4);
    for (std::size_t c = 0; c < smooth.size(); ++c) result.push_back(static_cast<float>(mean[begin + c] - smooth[c]));
  }
  return result;
}

void subtract_stripes(std::span<float> views, std::span<float const> stripes) {
  ensure(!stripes.empty() && views.size() % stripes.size() == 0, "subtract_stripes: ", views.size(),
         " values do not make views of ", stripes.size());
  for (std::size_t begin = 0; begin < views.size(); begin += stripes.size())
    for (std::size_t p = 0; p < stripes.size(); ++p) views[begin + p] -= stripes[p];
}

}  // namespace strata
