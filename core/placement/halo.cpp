#include "core/placement/transfer.hpp"

namespace strata {
namespace {

/// slice[p] = volume[block][p][lane] for all pixels.
void extract_slice(ExecSpace const& exec, ConstCylinders const& volume, int block, int lane,
                   Array1<Real> const& slice) {
  Kokkos::parallel_for(
      "strata::extract_slice", Kokkos::RangePolicy<ExecSpace>(exec, 0, slice.extent_int(0)),
      KOKKOS_LAMBDA(int p) { slice(p) = volume(block, p, lane); });
}

void extract_pixels(ExecSpace const& exec, ConstCylinders const& volume, int block, int lane,
                    Array1<int const> const& pixels, Array1<Real> const& slice) {
  Kokkos::parallel_for(
      "strata::extract_pixels", Kokkos::RangePolicy<ExecSpace>(exec, 0, pixels.extent_int(0)),
      KOKKOS_LAMBDA(int i) { slice(pixels(i)) = volume(block, pixels(i), lane); });
}

}  // namespace

Halo::Halo(Placement const& slices, Index num_pixels)
    : slices_(slices),
      below_(slices.num_devices()),
      above_(slices.num_devices()),
      first_(slices.num_devices()),
      last_(slices.num_devices()) {
  for (int const d : slices.devices()->local()) {
    ExecSpace const& exec = slices.devices()->exec(d);
    Range const own = slices.owned(d);
    if (own.empty()) continue;
    if (own.begin > 0) {
      below_[d] = make_view<Array1<Real>>(exec, "strata::halo_below", num_pixels);
      first_[d] = make_view<Array1<Real>>(exec, "strata::halo_first", num_pixels);
    }
    if (own.end < slices.real_size()) {
      above_[d] = make_view<Array1<Real>>(exec, "strata::halo_above", num_pixels);
      last_[d] = make_view<Array1<Real>>(exec, "strata::halo_last", num_pixels);
    }
  }
}

void Halo::exchange(ShardedVolume const& volume) const {
  refresh(volume, {});
}

void Halo::refresh(ShardedVolume const& volume, std::vector<Array1<int const>> const& pixels) const {
  DeviceSet const& devices = *slices_.devices();
  if (devices.size() == 1) return;
  SliceBlocks const& blocks = slices_.blocks();
  devices.for_each([&](int d, ExecSpace const& exec) {
    auto const take = [&](int slice, Array1<Real> const& target) {
      if (target.extent(0) == 0) return;
      int const block = blocks.block_of(slice) - d * blocks.per_shard;
      int const lane = blocks.lane_of(slice);
      if (pixels.empty())
        extract_slice(exec, volume[d], block, lane, target);
      else
        extract_pixels(exec, volume[d], block, lane, pixels[d], target);
    };
    take(slices_.owned(d).begin, first_[d]);
    take(slices_.owned(d).end - 1, last_[d]);
  });
  devices.fence("halo: boundary slices are read by neighbours");
  devices.for_each([&](int d, ExecSpace const& exec) {
    if (below_[d].extent(0) > 0) Kokkos::deep_copy(exec, below_[d], last_[d - 1]);
    if (above_[d].extent(0) > 0) Kokkos::deep_copy(exec, above_[d], first_[d + 1]);
  });
  devices.fence("halo: owners may change their boundary slices");
}

}  // namespace strata
