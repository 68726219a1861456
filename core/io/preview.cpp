#include "core/io/preview.hpp"

#include <stb/stb_image_write.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/io/atomic_path.hpp"

namespace strata {
namespace {

/// The value below which `fraction` of the values lie; reorders them.
float percentile(std::vector<float>& values, double fraction) {
  auto const position = values.begin() + std::lround(fraction * double(values.size() - 1));
  std::nth_element(values.begin(), position, values.end());
  return *position;
}

extern "C" void strata_append_bytes(void* bytes, void* data, int size) {
  static_cast<std::string*>(bytes)->append(static_cast<char const*>(data), std::size_t(size));
}

unsigned char grey(float value, GreyWindow const& window) {
  if (std::isnan(value)) return 0;
  if (!(window.high > window.low)) return 128;
  double const scaled = std::clamp((double(value) - window.low) / (window.high - window.low), 0.0, 1.0);
  return static_cast<unsigned char>(std::lround(255 * scaled));
}

}  // namespace

GreyWindow robust_window(std::vector<float> values) {
  std::erase_if(values, [](float value) { return !std::isfinite(value); });
  if (values.empty()) return {};
  return {percentile(values, 0.005), percentile(values, 0.995)};
}

void write_preview(std::string const& path, std::vector<float> const& values, int height, int width,
                   GreyWindow const& window) {
  bool const matches = height > 0 && width > 0 && values.size() == std::size_t(height) * std::size_t(width);
  ensure(matches, "a preview of [", height, "][", width, "] from ", values.size(), " values");
  std::vector<unsigned char> pixels(values.size());
  std::transform(values.begin(), values.end(), pixels.begin(), [&](float value) { return grey(value, window); });
  std::string bytes;
  bool const ok = stbi_write_png_to_func(strata_append_bytes, &bytes, width, height, 1, pixels.data(), width) != 0;
  if (!ok || bytes.empty()) throw WriteError(text(path, ": cannot encode the picture"));
  write_file_atomically(path, bytes);
}

void write_preview(std::string const& path, std::vector<float> const& values, int height, int width) {
  write_preview(path, values, height, width, robust_window(values));
}

}  // namespace strata
