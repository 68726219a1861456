#include "drivers/support/preprocess.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace strata {

namespace {

float median_of(std::vector<float>& values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5f * (*middle + *std::max_element(values.begin(), middle));
}

float mean_of(std::vector<float> const& values) {
  double sum = 0;
  for (float const value : values) sum += value;
  return static_cast<float>(sum / static_cast<double>(values.size()));
}

/// Mean of the good ones of the 8 neighbours, NaN when there is none.
float neighbour_mean(std::span<float const> values, std::span<std::uint8_t const> good, int num_rows, int num_channels,
                     Index pixel) {
  int const row = static_cast<int>(pixel / num_channels);
  int const channel = static_cast<int>(pixel % num_channels);
  double sum = 0;
  int count = 0;
  for (int r = std::max(row - 1, 0); r <= std::min(row + 1, num_rows - 1); ++r)
    for (int c = std::max(channel - 1, 0); c <= std::min(channel + 1, num_channels - 1); ++c) {
      auto const p = static_cast<std::size_t>(Index(r) * num_channels + c);
      if (!good[p]) continue;
      sum += values[p];
      ++count;
    }
  return count > 0 ? static_cast<float>(sum / count) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

FrameAverage parse_frame_average(std::string const& name) {
  if (name == "mean") return FrameAverage::mean;
  if (name == "median") return FrameAverage::median;
  throw InputError(text("preprocess: flats and darks are averaged by mean or median, found '", name, "'"));
}

std::vector<float> average_frames(std::span<float const> frames, int num_frames, FrameAverage average) {
  require(num_frames > 0, "preprocess: at least one frame is needed to average, there are ", num_frames);
  ensure(frames.size() % static_cast<std::size_t>(num_frames) == 0, "average_frames: ", frames.size(),
         " values do not make ", num_frames, " frames");
  std::size_t const num_pixels = frames.size() / static_cast<std::size_t>(num_frames);
  std::vector<float> result(num_pixels, std::numeric_limits<float>::quiet_NaN());
  std::vector<float> finite;
  for (std::size_t pixel = 0; pixel < num_pixels; ++pixel) {
    finite.clear();
    for (std::size_t i = pixel; i < frames.size(); i += num_pixels)
      if (std::isfinite(frames[i])) finite.push_back(frames[i]);
    if (!finite.empty()) result[pixel] = average == FrameAverage::mean ? mean_of(finite) : median_of(finite);
  }
  return result;
}

LineIntegrals::LineIntegrals(FlatField field) : field_(std::move(field)) {
  auto const num_pixels = static_cast<std::size_t>(Index(field_.num_rows) * field_.num_channels);
  if (field_.dark.empty()) field_.dark.assign(num_pixels, 0);
  require(field_.flat.size() == num_pixels && field_.dark.size() == num_pixels, "preprocess: flat and dark must have ",
          field_.num_rows, " rows x ", field_.num_channels, " channels as the projections, they have ",
          field_.flat.size(), " and ", field_.dark.size(), " values");
  require(field_.min_transmission > 0 && field_.min_transmission < 1,
          "preprocess: min_transmission must be above 0 and below 1, found ", field_.min_transmission);

  gain_.resize(num_pixels);
  for (std::size_t p = 0; p < num_pixels; ++p) {
    float const open_beam = field_.flat[p] - field_.dark[p];
    gain_[p] = std::isfinite(open_beam) && open_beam > 0 ? 1 / open_beam : 0;
    if (!std::isfinite(gain_[p])) gain_[p] = 0;  // a denormal open beam
  }
  for (DetectorPixel const pixel : field_.defective) {
    require(pixel.row >= 0 && pixel.row < field_.num_rows && pixel.channel >= 0 && pixel.channel < field_.num_channels,
            "preprocess: defective pixels must lie on the detector of ", field_.num_rows, " rows x ",
            field_.num_channels, " channels, found row ", pixel.row, ", channel ", pixel.channel);
    gain_[static_cast<std::size_t>(Index(pixel.row) * field_.num_channels + pixel.channel)] = 0;
  }
  num_dead_ = std::ranges::count(gain_, 0.0f);
  require(num_dead_ < static_cast<Index>(num_pixels),
          "preprocess: flats must be above darks somewhere on the detector, all ", num_pixels,
          " pixels have flat <= dark or are defective");
}

void LineIntegrals::convert(std::span<float> views, PreprocessCounts& counts) const {
  ensure(views.size() % gain_.size() == 0, "LineIntegrals::convert: ", views.size(), " values do not make views of ",
         gain_.size());
  for (std::size_t begin = 0; begin < views.size(); begin += gain_.size())
    convert_view(views.subspan(begin, gain_.size()), counts);
}

void LineIntegrals::convert_view(std::span<float> view, PreprocessCounts& counts) const {
  std::vector<std::uint8_t> good(view.size());
  auto const floor = static_cast<float>(field_.min_transmission);
  Index clipped = 0;
  Index bad = 0;
  for (std::size_t p = 0; p < view.size(); ++p) {
    float const transmission = (view[p] - field_.dark[p]) * gain_[p];
    good[p] = gain_[p] > 0 && std::isfinite(transmission);
    bad += !good[p];
    if (!good[p]) continue;
    clipped += transmission < floor;
    view[p] = -std::log(std::max(transmission, floor));
  }
  auto const size = static_cast<Index>(view.size());
  require(bad < size, "preprocess: a view must have a finite count in a live pixel, view ", counts.converted / size,
          " has none");
  counts.converted += size;
  counts.clipped += clipped;
  counts.interpolated += bad;
  if (bad > 0) interpolate_from_neighbours(view, good, field_.num_rows, field_.num_channels);
}

void interpolate_from_neighbours(std::span<float> values, std::span<std::uint8_t> good, int num_rows,
                                 int num_channels) {
  struct Filled {
    Index pixel;
    float value;
  };
  std::vector<Index> bad;
  for (std::size_t p = 0; p < good.size(); ++p)
    if (!good[p]) bad.push_back(static_cast<Index>(p));
  ensure(bad.size() < good.size(), "interpolate_from_neighbours: no value is good");
  while (!bad.empty()) {
    std::vector<Filled> filled;
    std::vector<Index> remaining;
    for (Index const pixel : bad) {
      float const mean = neighbour_mean(values, good, num_rows, num_channels, pixel);
      if (std::isfinite(mean))
        filled.push_back({pixel, mean});
      else
        remaining.push_back(pixel);
    }
    for (Filled const& entry : filled) {
      values[static_cast<std::size_t>(entry.pixel)] = entry.value;
      good[static_cast<std::size_t>(entry.pixel)] = 1;
    }
    bad = std::move(remaining);
  }
}

std::string doubt_about_line_integrals(std::span<float const> values, int num_channels) {
  if (values.empty()) return {};
  auto const channels = static_cast<std::size_t>(num_channels);
  double sum = 0;
  double edge_sum = 0;
  float smallest = values[0];
  float largest = values[0];
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    smallest = std::min(smallest, values[i]);
    largest = std::max(largest, values[i]);
    if (i % channels == 0 || i % channels == channels - 1) edge_sum += values[i];
  }
  double const mean = sum / static_cast<double>(values.size());
  double const edge = edge_sum / (2 * static_cast<double>(values.size() / channels));
  if (mean > 50) return text("the values look like counts, not line integrals: their mean is ", mean);
  if (smallest >= 0 && edge > 0.8 && edge < 1.2 && largest < 1.5 && edge > mean)
    return text("the values look like transmissions, not line integrals: they lie in [", smallest, ", ", largest,
                "], with ", edge, " on the edges of the detector");
  return {};
}

}  // namespace strata
