/// Datasets straight from files into shards and back, part by part: no second full copy on the host.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "core/io/hdf5_file.hpp"
#include "core/io/hdf5_writer.hpp"
#include "core/placement/exchange_host.hpp"

namespace strata {

/// Called with each part as it passes, for example to check or to convert it.
using PartInspector = std::function<void(std::span<float> values)>;

/// Reads dataset [view, det_row, channel]. \throws InputError for another shape, and for values that are not finite,
/// with the place of the first.
void read_sinogram(Hdf5File const& file, std::string const& dataset, SinogramLayout const& layout,
                   ShardedSinogram const& sinogram, PartInspector const& inspect = {});
/// Reads dataset [row, col, slice], `num_cols` columns; throws likewise.
void read_volume(Hdf5File const& file, std::string const& dataset, int num_cols, ShardedVolume const& volume);

/// Writes dataset [view, det_row, channel]. \throws InputError when a value is not finite.
void write_sinogram(AtomicHdf5Writer& writer, std::string const& dataset, SinogramLayout const& layout,
                    ShardedSinogram const& sinogram);
/// Writes dataset [row, col, slice], `num_cols` columns; throws likewise.
void write_volume(AtomicHdf5Writer& writer, std::string const& dataset, int num_cols, ShardedVolume const& volume,
                  PartInspector const& inspect = {});

}  // namespace strata
