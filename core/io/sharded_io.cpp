#include "core/io/sharded_io.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"

namespace strata {
namespace {

/// \throws InputError naming the first value that is not finite; `first` is the entry of the first axis that `values`
/// begins with.
void check_finite(Hdf5File const& file, std::string const& dataset, std::span<float const> values, Index first,
                  Index second_extent, Index third_extent) {
  auto const bad = std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  if (bad == values.end()) return;
  Index const at = bad - values.begin();
  throw InputError(text(file.path(), ": dataset ", dataset, ": expected finite values, found ", *bad, " at [",
                        first + at / (second_extent * third_extent), ", ", at / third_extent % second_extent, ", ",
                        at % third_extent, "]"));
}

/// \throws InputError for a result that is not finite.
void check_result(std::string const& dataset, std::span<float const> values) {
  if (std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) return;
  throw InputError(text(dataset,
                        ": the result is not finite, so it is not written: values of the data, lengths of the "
                        "geometry or other parameters are beyond what single precision can hold"));
}

int volume_rows(ShardedVolume const& volume, int num_cols) {
  return volume[0].extent_int(1) / num_cols;
}

}  // namespace

void read_sinogram(Hdf5File const& file, std::string const& dataset, SinogramLayout const& layout,
                   ShardedSinogram const& sinogram, PartInspector const& inspect) {
  int const views = sinogram.placement.real_size();
  int const rows = layout.rows.num_slices;
  int const channels = layout.num_channels;
  file.require_shape(dataset, {views, rows, channels}, "views, det rows, channels");
  Index const per_view = Index(rows) * channels;
  int const length = part_length(views, per_view, sinogram.num_devices());
  std::vector<float> values(length * per_view);
  HostExchange const exchange(sinogram.placement.devices(), length * per_view);
  for (int v = 0; v < views; v += length) {
    Range const part{v, std::min(v + length, views)};
    std::span<float> const used(values.data(), part.size() * per_view);
    check_interrupt();
    file.read_slab(dataset, {v, 0, 0}, {part.size(), rows, channels}, used.data());
    check_finite(file, dataset, used, v, rows, channels);
    if (inspect) inspect(used);
    exchange.put_views(sinogram, layout, part, used);
  }
}

void read_volume(Hdf5File const& file, std::string const& dataset, int num_cols, ShardedVolume const& volume) {
  int const rows = volume_rows(volume, num_cols);
  int const slices = volume.placement.real_size();
  file.require_shape(dataset, {rows, num_cols, slices}, "rows, cols, slices");
  Index const per_row = Index(num_cols) * slices;
  int const length = part_length(rows, per_row, volume.num_devices());
  std::vector<float> values(length * per_row);
  HostExchange const exchange(volume.placement.devices(), length * per_row);
  for (int r = 0; r < rows; r += length) {
    Range const part{r, std::min(r + length, rows)};
    std::span<float> const used(values.data(), part.size() * per_row);
    check_interrupt();
    file.read_slab(dataset, {r, 0, 0}, {part.size(), num_cols, slices}, used.data());
    check_finite(file, dataset, used, r, num_cols, slices);
    exchange.put_pixels(volume, {part.begin * num_cols, part.end * num_cols}, used);
  }
}

void write_sinogram(AtomicHdf5Writer& writer, std::string const& dataset, SinogramLayout const& layout,
                    ShardedSinogram const& sinogram) {
  int const views = sinogram.placement.real_size();
  int const rows = layout.rows.num_slices;
  int const channels = layout.num_channels;
  writer.create_dataset<float>(dataset, {views, rows, channels});
  Index const per_view = Index(rows) * channels;
  int const length = part_length(views, per_view, sinogram.num_devices());
  std::vector<float> values(length * per_view);
  HostExchange const exchange(sinogram.placement.devices(), length * per_view);
  for (int v = 0; v < views; v += length) {
    Range const part{v, std::min(v + length, views)};
    std::span<float> const used(values.data(), part.size() * per_view);
    check_interrupt();
    exchange.get_views(sinogram, layout, part, used);
    check_result(dataset, used);
    writer.write_slab(dataset, {v, 0, 0}, {part.size(), rows, channels}, used.data());
  }
}

void write_volume(AtomicHdf5Writer& writer, std::string const& dataset, int num_cols, ShardedVolume const& volume,
                  PartInspector const& inspect) {
  int const rows = volume_rows(volume, num_cols);
  int const slices = volume.placement.real_size();
  writer.create_dataset<float>(dataset, {rows, num_cols, slices});
  Index const per_row = Index(num_cols) * slices;
  int const length = part_length(rows, per_row, volume.num_devices());
  std::vector<float> values(length * per_row);
  HostExchange const exchange(volume.placement.devices(), length * per_row);
  for (int r = 0; r < rows; r += length) {
    Range const part{r, std::min(r + length, rows)};
    std::span<float> const used(values.data(), part.size() * per_row);
    check_interrupt();
    exchange.get_pixels(volume, {part.begin * num_cols, part.end * num_cols}, used);
    check_result(dataset, used);
    if (inspect) inspect(used);
    writer.write_slab(dataset, {r, 0, 0}, {part.size(), num_cols, slices}, used.data());
  }
}

}  // namespace strata
