#include "drivers/support/inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/io/sharded_io.hpp"
#include "core/solver/region_mask.hpp"
#include "core/solver/resample_image.hpp"
#include "drivers/support/preprocess.hpp"

namespace strata {
namespace {

DatasetName read_name(DeckSection const& section, std::string const& key, std::string const& default_dataset) {
  if (section.kind(key) != DeckSection::Kind::section) section.fail(key, "expected {file:, dataset:}");
  DeckSection const entry = section.section(key);
  DatasetName const name{entry.require_path("file"), entry.get("dataset", default_dataset)};
  Hdf5File const file(name.file);
  (void)file.shape(name.dataset);
  return name;
}

}  // namespace

std::optional<DatasetName> find_dataset(DeckSection const& section, std::string const& key,
                                        std::string const& default_dataset) {
  if (!section.has(key)) return std::nullopt;
  return read_name(section, key, default_dataset);
}

DatasetName require_dataset(DeckSection const& section, std::string const& key, std::string const& default_dataset) {
  if (!section.has(key)) section.fail(key, "expected {file:, dataset:}, got none");
  return read_name(section, key, default_dataset);
}

SinogramShape sinogram_shape_of(DatasetName const& name) {
  Hdf5File const file(name.file);
  file.require_shape(name.dataset, {-1, -1, -1}, "views, det rows, channels");
  auto const shape = file.shape(name.dataset);
  for (auto const size : shape)
    require(size >= 1 && size <= std::numeric_limits<int>::max(), name.file, ": dataset ", name.dataset,
            ": expected at least one view, det row and channel, found [", shape[0], ", ", shape[1], ", ", shape[2],
            "]");
  return {static_cast<int>(shape[0]), static_cast<int>(shape[1]), static_cast<int>(shape[2])};
}

SinogramShape read_sinogram_shape(Deck const& deck, std::optional<DatasetName> const& sinogram) {
  DeckSection const geometry = deck.section("geometry");
  auto const given = geometry.find<std::vector<int>>("sinogram_shape");
  if (given) {
    if (given->size() != 3)
      geometry.fail("sinogram_shape", text("expected [views, det rows, channels], got ", given->size(), " numbers"));
    for (int const size : *given)
      if (size < 1) geometry.fail("sinogram_shape", text("expected sizes of at least 1, got ", size));
  }
  if (!sinogram) {
    if (!given)
      geometry.fail("sinogram_shape", "expected [views, det rows, channels], got none, and no sinogram is read");
    return {(*given)[0], (*given)[1], (*given)[2]};
  }
  SinogramShape const shape = sinogram_shape_of(*sinogram);
  if (given && SinogramShape{(*given)[0], (*given)[1], (*given)[2]} != shape)
    geometry.fail("sinogram_shape", text("expected the shape of ", sinogram->dataset, ", [", shape.num_views, ", ",
                                         shape.num_det_rows, ", ", shape.num_det_channels, "], got [", (*given)[0],
                                         ", ", (*given)[1], ", ", (*given)[2], "]"));
  return shape;
}

std::vector<bool> read_region_mask(DeckSection const& geometry, ReconShape const& shape) {
  return read_region_mask(geometry, shape, geometry.get("type", "") != "translation");
}

std::vector<bool> read_region_mask(DeckSection const& geometry, ReconShape const& shape, bool by_default) {
  RegionMask mask;
  if (geometry.kind("use_ror_mask") == DeckSection::Kind::section) {
    auto const name = read_name(geometry, "use_ror_mask", "/ror_mask");
    Hdf5File const file(name.file);
    file.require_shape(name.dataset, {shape.num_rows, shape.num_cols}, "rows, cols");
    mask = custom_mask(shape.num_rows, shape.num_cols, file.read<float>(name.dataset));
  } else if (geometry.get("use_ror_mask", by_default)) {
    mask = ellipse_mask(shape.num_rows, shape.num_cols, geometry.get("reference_mode", false));
  } else {
    mask = full_mask(shape.num_rows, shape.num_cols);
  }
  std::vector<bool> inside(mask.inside.begin(), mask.inside.end());
  if (std::find(inside.begin(), inside.end(), true) == inside.end())
    geometry.fail("use_ror_mask",
                  text("expected pixels inside the region of reconstruction, there are none in a plane of ",
                       shape.num_rows, " x ", shape.num_cols, " pixels (false takes all)"));
  return inside;
}

void require_sinogram_shape(DatasetName const& name, SinogramShape const& shape) {
  Hdf5File(name.file).require_shape(name.dataset, {shape.num_views, shape.num_det_rows, shape.num_det_channels},
                                    "views, det rows, channels");
}

void require_volume_shape(DatasetName const& name, ReconShape const& shape) {
  Hdf5File(name.file).require_shape(name.dataset, {shape.num_rows, shape.num_cols, shape.num_slices},
                                    "rows, cols, slices");
}

void require_image(DatasetName const& name, ReconShape const& shape) {
  Hdf5File const file(name.file);
  if (!file.has_attribute(name.dataset, "delta_voxel")) return require_volume_shape(name, shape);
  file.require_shape(name.dataset, {-1, -1, -1}, "rows, cols, slices");
  auto const pitch = file.numbers_attribute(name.dataset, "delta_voxel");
  bool const good = pitch.size() == 3 && std::all_of(pitch.begin(), pitch.end(), [](double p) { return p > 0; });
  require(good, name.file, ": dataset ", name.dataset, ": attribute delta_voxel: expected three numbers > 0, found ",
          joined(pitch));
}

ShardedSinogram load_sinogram(TomographyModel const& model, DatasetName const& name, std::string const& label) {
  Hdf5File const file(name.file);
  auto const sinogram = model.make_sinogram(label);
  bool first = true;
  read_sinogram(file, name.dataset, model.sinogram_layout(), sinogram, [&](std::span<float> part) {
    if (!first) return;
    first = false;
    auto const doubt = doubt_about_line_integrals(part, model.sinogram_shape().num_det_channels);
    if (!doubt.empty()) log::warn(name.file, ": dataset ", name.dataset, ": ", doubt);
  });
  return sinogram;
}

ShardedVolume load_volume(TomographyModel const& model, DatasetName const& name, std::string const& label) {
  auto const volume = model.make_volume(label);
  load_volume(model, name, volume);
  return volume;
}

void load_volume(ImageGrid const& grid, DatasetName const& name, ShardedVolume const& volume) {
  read_volume(Hdf5File(name.file), name.dataset, grid.shape.num_cols, volume);
}

void load_image(ImageGrid const& grid, DatasetName const& name, ShardedVolume const& volume) {
  Hdf5File const file(name.file);
  auto const extents = file.shape(name.dataset);
  ReconShape const& shape = grid.shape;
  ReconShape const source{static_cast<int>(extents[0]), static_cast<int>(extents[1]), static_cast<int>(extents[2])};
  std::array<double, 3> ratio{1, 1, 1};
  if (file.has_attribute(name.dataset, "delta_voxel")) {
    auto const pitch = file.numbers_attribute(name.dataset, "delta_voxel");
    for (std::size_t axis = 0; axis < 3; ++axis) ratio[axis] = grid.pitch[axis] / pitch[axis];
  }
  bool const same_pitch = std::all_of(ratio.begin(), ratio.end(), [](double r) { return std::abs(r - 1) < 1e-6; });
  if (same_pitch && source == shape) return load_volume(grid, name, volume);
  log::info("initial image: ", shape_text(extents), " voxels of ", name.file, " resampled to [", shape.num_rows, "][",
            shape.num_cols, "][", shape.num_slices, "]");
  ImageRows const rows{
      source, [&](int row, std::span<float> values) {
        check_interrupt();
        file.read_slab(name.dataset, {row, 0, 0}, {1, source.num_cols, source.num_slices}, values.data());
        bool const finite = std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
        require(finite, name.file, ": dataset ", name.dataset, ": expected finite values, row ", row, " has others");
      }};
  resample_image(rows, ratio, shape, volume);
}

}  // namespace strata
