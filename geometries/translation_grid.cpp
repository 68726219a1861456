#include "geometries/translation_grid.hpp"

#include "geometries/grid_rounding.hpp"

namespace strata {
namespace {

template <class T>
std::array<T, 3> extents(std::vector<std::array<double, 3>> const& vectors) {
  std::array<T, 3> result{};
  for (int axis = 0; axis < 3; ++axis) {
    auto const [low, high] = std::minmax_element(vectors.begin(), vectors.end(),
                                                 [&](auto const& a, auto const& b) { return a[axis] < b[axis]; });
    result[axis] = static_cast<T>((*high)[axis]) - static_cast<T>((*low)[axis]);
  }
  return result;
}

/// Source: geometry.md 2.2.
TranslationGrid reference_grid(TranslationGridInput const& input) {
  auto const [views, det_rows, channels] = input.sinogram;
  auto const magnification = static_cast<float>(input.source_detector_dist / input.source_iso_dist);
  auto const distance = static_cast<float>(input.source_detector_dist);
  float const pitches[2] = {static_cast<float>(input.delta_det_row) / magnification,
                            static_cast<float>(input.delta_det_channel) / magnification};
  float const slopes[2] = {static_cast<float>(input.delta_det_channel * channels) / 4 / distance,
                           static_cast<float>(input.delta_det_row * det_rows) / 4 / distance};
  float const coarser = std::max(pitches[0], pitches[1]);
  float const depth = std::max({4 * pitches[0] / slopes[0], 4 * pitches[1] / slopes[1], coarser});
  TranslationGrid grid;
  grid.delta_voxel = input.delta_voxel > 0 ? input.delta_voxel : coarser;
  double const given = input.voxel_row_aspect.value_or(1);
  grid.voxel_row_aspect = given == 1 ? depth / grid.delta_voxel : given;
  double const row_pitch = grid.voxel_row_aspect * grid.delta_voxel;
  auto const extent = extents<float>(input.translation_vectors);
  double const slice_pitch = input.voxel_slice_aspect * grid.delta_voxel;
  int const cols = static_cast<int>(std::ceil(extent[0] / static_cast<float>(grid.delta_voxel)));
  int const slices = static_cast<int>(std::ceil(extent[2] / static_cast<float>(slice_pitch)));
  double const unknowns = double(cols + det_rows) * (slices + channels) / views;
  int const rows = 2 * static_cast<int>(std::ceil(static_cast<float>(Index(channels) * det_rows / unknowns)));
  float const room = (static_cast<float>(input.source_iso_dist) - extent[1]) / static_cast<float>(row_pitch);
  grid.recon = {std::min(rows, static_cast<int>(std::floor(room))), cols, slices};
  return grid;
}

}  // namespace

TranslationGrid automatic_translation_grid(TranslationGridInput const& input, bool reference_mode) {
  if (reference_mode) return reference_grid(input);
  auto const [views, det_rows, channels] = input.sinogram;
  double const magnification = input.source_detector_dist / input.source_iso_dist;
  double const channel_pitch = input.delta_det_channel / magnification;
  double const row_pitch = input.delta_det_row / magnification;
  double const channel_slope = channels * input.delta_det_channel / (4 * input.source_detector_dist);
  double const row_slope = det_rows * input.delta_det_row / (4 * input.source_detector_dist);
  TranslationGrid grid;
  grid.delta_voxel = input.delta_voxel > 0 ? input.delta_voxel : std::max(channel_pitch, row_pitch);
  double const resolved = std::max({4 * channel_pitch / channel_slope, 4 * row_pitch / row_slope, grid.delta_voxel});
  grid.voxel_row_aspect = input.voxel_row_aspect.value_or(resolved / grid.delta_voxel);
  double const depth_pitch = grid.voxel_row_aspect * grid.delta_voxel;
  auto const extent = extents<double>(input.translation_vectors);
  int const cols = cells_to_cover(extent[0] / grid.delta_voxel);
  int const slices = cells_to_cover(extent[2] / (input.voxel_slice_aspect * grid.delta_voxel));
  double const unknowns_per_row = double(cols + channels) * (slices + det_rows) / views;
  int const determined = 2 * cells_to_cover(Index(channels) * det_rows / unknowns_per_row);
  grid.recon = {std::min(determined, cells_that_fit((input.source_iso_dist - extent[1]) / depth_pitch)), cols, slices};
  return grid;
}

}  // namespace strata
