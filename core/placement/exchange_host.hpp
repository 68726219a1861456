/// Between sharded arrays and host memory in file order, part by part: the only reordering there is. What other
/// processes hold has to come and go here, too; today one holds all.
#pragma once

#include <span>

#include "core/placement/sharded.hpp"
#include "core/placement/sinogram_layout.hpp"

namespace strata {

/// Moves parts of sharded arrays from and to host memory through staging buffers on each device, allocated once.
class HostExchange {
 public:
  /// `max_values`: largest part, in values.
  HostExchange(Devices devices, Index max_values);

  /// sinogram's views `views` = values [view][row][channel].
  void put_views(ShardedSinogram const& sinogram, SinogramLayout const& layout, Range views,
                 std::span<float const> values) const;
  void get_views(ShardedSinogram const& sinogram, SinogramLayout const& layout, Range views,
                 std::span<float> values) const;

  /// volume's pixels `pixels` = values [pixel][slice]: whole rows of a file in [row][col][slice].
  void put_pixels(ShardedVolume const& volume, Range pixels, std::span<float const> values) const;
  void get_pixels(ShardedVolume const& volume, Range pixels, std::span<float> values) const;

 private:
  using HostArray = Kokkos::View<Real*, Kokkos::LayoutRight, Kokkos::HostSpace>;
  Devices devices_;
  std::vector<HostArray> host_;
  std::vector<Array1<Real>> staging_;
};

/// Length of the parts in which an axis of `size` entries of `values_per_entry` values is moved: 16 MiB, or as much
/// less as lets the parts on all devices be small against the whole, but not below 256 KiB.
int part_length(int size, Index values_per_entry, int num_devices = 1);

}  // namespace strata
