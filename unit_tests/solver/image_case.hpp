/// Images as shards on any number of devices, for tests of what works on volumes alone.
#pragma once

#include <random>
#include <vector>

#include "core/placement/exchange_host.hpp"
#include "core/solver/image_rows.hpp"

namespace strata::test {

/// A shape on `num_devices` devices; values are [row][col][slice].
struct ImageCase {
  ReconShape shape;
  Devices devices;
  Placement slices;

  ImageCase(ReconShape const& image_shape, int num_devices)
      : shape(image_shape),
        devices(DeviceSet::virtual_devices(num_devices)),
        slices(Placement::of_slices(devices, image_shape.num_slices)) {}

  /// `padding` stands in all lanes without a slice.
  ShardedVolume volume(std::vector<float> const& values, float padding = 0) const {
    auto const result = make_volume(slices, shape.num_pixels(), "test::image");
    for (auto const& shard : result.shards) Kokkos::deep_copy(ExecSpace(), shard, padding);
    Kokkos::fence("test: padding is set");
    HostExchange(devices, shape.size()).put_pixels(result, {0, int(shape.num_pixels())}, values);
    return result;
  }

  std::vector<float> values(ShardedVolume const& volume) const {
    std::vector<float> result(static_cast<std::size_t>(shape.size()));
    HostExchange(devices, shape.size()).get_pixels(volume, {0, int(shape.num_pixels())}, result);
    return result;
  }
};

inline std::vector<float> random_values(Index size, unsigned seed, float spread = 1, float mean = 0) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(mean, spread);
  std::vector<float> values(static_cast<std::size_t>(size));
  for (float& value : values) value = normal(generator);
  return values;
}

/// Rows of values on the host.
inline ImageRows rows_of(std::vector<float> const& values, ReconShape const& shape) {
  return {shape, [&values, shape](int row, std::span<float> out) {
            Index const per_row = Index(shape.num_cols) * shape.num_slices;
            std::copy_n(values.begin() + row * per_row, per_row, out.begin());
          }};
}

}  // namespace strata::test
