#include "core/solver/image_rows.hpp"

#include <memory>

namespace strata {

ImageRows rows_of(ShardedVolume const& volume, ReconShape const& shape) {
  auto const exchange =
      std::make_shared<HostExchange const>(volume.placement.devices(), Index(shape.num_cols) * shape.num_slices);
  return {shape, [volume, exchange, cols = shape.num_cols](int row, std::span<float> values) {
            exchange->get_pixels(volume, {row * cols, (row + 1) * cols}, values);
          }};
}

}  // namespace strata
