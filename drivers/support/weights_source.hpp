/// `input.weights`: how much each ray counts.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/solver/ray_weights.hpp"
#include "core/solver/weights.hpp"
#include "drivers/support/inputs.hpp"

namespace strata {

/// {type: metal}: with an image, its bright voxels are metal; without one, the large line integrals are.
struct MetalSource {
  MetalWeights options;
  std::optional<DatasetName> image;
};

/// {type: huber}: after a reconstruction its errors give new weights, and it goes on with them, `rounds` times.
struct HuberSource {
  HuberWeights options;
  int rounds = 1;
};

struct WeightsSource {
  std::variant<std::monostate, DatasetName, WeightModel, MetalSource> base;  ///< nothing: ones
  std::optional<HuberSource> huber;
  std::optional<DatasetName> dead_pixels;  ///< [det_row][channel], not 0 where the detector is dead
  std::vector<int> masked_views;

  /// False where all rays count alike, and no array is needed.
  bool given() const;
  /// The datasets that are read.
  std::vector<DatasetName> files() const;
};

/// \throws InputError for unknown types, impossible numbers, missing files, views that the scan does not have.
WeightsSource read_weights_source(DeckSection const& input, SinogramShape const& sinogram);

/// Throws unless the datasets fit the scan.
void require_shapes(WeightsSource const& source, SinogramShape const& sinogram, ReconShape const& recon);

/// Reads weights from a file. \throws InputError for such as are not finite, or negative, or all zero.
void read_weights(TomographyModel const& model, DatasetName const& name, ShardedSinogram const& weights);

/// Makes the weights; nothing where all rays count alike. `name` is where `y`, the line integrals, was read. Weights
/// must be finite, not negative and not all zero. Those of {type: huber} begin as their base.
std::optional<ShardedSinogram> load_weights(TomographyModel const& model, WeightsSource const& source,
                                            DatasetName const& name, ShardedSinogram const& y);

}  // namespace strata
