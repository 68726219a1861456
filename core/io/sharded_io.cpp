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

/// Calls use(exchange, part, values of the part) for all entries 0 .. size of the first axis, a buffer at a time.
template <class Sharded, class Use>
void in_parts(Sharded const& array, int size, Index per_entry, Use const& use) {
  int const length = part_length(size, per_entry, array.num_devices());
  std::vector<float> values(length * per_entry);
  HostExchange const exchange(array.placement.devices(), length * per_entry);
  for (int begin = 0; begin < size; begin += length) {
    Range const part{begin, std::min(begin + length, size)};
    check_interrupt();
    use(exchange, part, std::span<float>(values.data(), part.size() * per_entry));
  }
}

}  // namespace

void read_sinogram(Hdf5File const& file, std::string const& dataset, SinogramLayout const& layout,
                   ShardedSinogram const& sinogram, PartInspector const& inspect) {
  int const views = sinogram.placement.real_size();
  int const rows = layout.rows.num_slices;
  int const channels = layout.num_channels;
  file.require_shape(dataset, {views, rows, channels}, "views, det rows, channels");
  in_parts(sinogram, views, Index(rows) * channels,
           [&](HostExchange const& exchange, Range part, std::span<float> values) {
             file.read_slab(dataset, {part.begin, 0, 0}, {part.size(), rows, channels}, values.data());
             check_finite(file, dataset, values, part.begin, rows, channels);
             if (inspect) inspect(values);
             exchange.put_views(sinogram, layout, part, values);
           });
}

void read_volume(Hdf5File const& file, std::string const& dataset, int num_cols, ShardedVolume const& volume) {
  int const rows = volume_rows(volume, num_cols);
  int const slices = volume.placement.real_size();
  file.require_shape(dataset, {rows, num_cols, slices}, "rows, cols, slices");
  in_parts(volume, rows, Index(num_cols) * slices,
           [&](HostExchange const& exchange, Range part, std::span<float> values) {
             file.read_slab(dataset, {part.begin, 0, 0}, {part.size(), num_cols, slices}, values.data());
             check_finite(file, dataset, values, part.begin, num_cols, slices);
             exchange.put_pixels(volume, {part.begin * num_cols, part.end * num_cols}, values);
           });
}

void write_sinogram(AtomicHdf5Writer& writer, std::string const& dataset, SinogramLayout const& layout,
                    ShardedSinogram const& sinogram) {
  int const views = sinogram.placement.real_size();
  int const rows = layout.rows.num_slices;
  int const channels = layout.num_channels;
  writer.create_dataset<float>(dataset, {views, rows, channels});
  in_parts(sinogram, views, Index(rows) * channels,
           [&](HostExchange const& exchange, Range part, std::span<float> values) {
             exchange.get_views(sinogram, layout, part, values);
             check_result(dataset, values);
             writer.write_slab(dataset, {part.begin, 0, 0}, {part.size(), rows, channels}, values.data());
           });
}

void write_volume(AtomicHdf5Writer& writer, std::string const& dataset, int num_cols, ShardedVolume const& volume,
                  PartInspector const& inspect) {
  int const rows = volume_rows(volume, num_cols);
  int const slices = volume.placement.real_size();
  writer.create_dataset<float>(dataset, {rows, num_cols, slices});
  in_parts(volume, rows, Index(num_cols) * slices,
           [&](HostExchange const& exchange, Range part, std::span<float> values) {
             exchange.get_pixels(volume, {part.begin * num_cols, part.end * num_cols}, values);
             check_result(dataset, values);
             if (inspect) inspect(values);
             writer.write_slab(dataset, {part.begin, 0, 0}, {part.size(), num_cols, slices}, values.data());
           });
}

}  // namespace strata
