/// Section `input` of a deck: which datasets a program reads, and reading them into shards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/deck.hpp"
#include "core/model/tomography_model.hpp"
#include "drivers/support/image_grid.hpp"

namespace strata {

/// A dataset of a file. Its existence is checked when the deck is read.
struct DatasetName {
  std::string file;
  std::string dataset;
};

/// `input.<key>: {file:, dataset:}`; nothing when the key is absent. \throws InputError for a missing file or dataset.
std::optional<DatasetName> find_dataset(DeckSection const& section, std::string const& key,
                                        std::string const& default_dataset);
/// As find_dataset(), for a key that must be there.
DatasetName require_dataset(DeckSection const& section, std::string const& key, std::string const& default_dataset);

/// Shape of a sinogram dataset. \throws InputError unless it has three axes.
SinogramShape sinogram_shape_of(DatasetName const& name);
/// The shape of `input.sinogram`, else geometry.sinogram_shape. Where both are given they must agree.
SinogramShape read_sinogram_shape(Deck const& deck, std::optional<DatasetName> const& sinogram);

/// `geometry.use_ror_mask`: true, false or a dataset; without it true, for translations false. [pixel]
std::vector<bool> read_region_mask(DeckSection const& geometry, ReconShape const& shape);
/// The same key of any section, with a default.
std::vector<bool> read_region_mask(DeckSection const& section, ReconShape const& shape, bool by_default);

/// Throws unless `name` has the shape of the model's sinogram or volume.
void require_sinogram_shape(DatasetName const& name, SinogramShape const& shape);
void require_volume_shape(DatasetName const& name, ReconShape const& shape);

/// As require_volume_shape(), but an image whose attribute `delta_voxel` [row, col, slice] says its grid may have any
/// shape.
void require_image(DatasetName const& name, ReconShape const& shape);

/// Reads the datasets into new arrays. Values must be finite.
ShardedSinogram load_sinogram(TomographyModel const& model, DatasetName const& name, std::string const& label);
ShardedVolume load_volume(TomographyModel const& model, DatasetName const& name, std::string const& label);
void load_volume(ImageGrid const& grid, DatasetName const& name, ShardedVolume const& volume);
/// Reads an image that require_image() took, resampled where it is on another grid. Both grids have the same centre.
void load_image(ImageGrid const& grid, DatasetName const& name, ShardedVolume const& volume);

}  // namespace strata
