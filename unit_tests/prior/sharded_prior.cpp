#include "unit_tests/prior/sharded_prior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace strata::testing_prior {
namespace {

/// A copy of `values` on the device.
template <class T>
Array1<T> on_device(std::vector<T> const& values) {
  Array1<T> const out("values", values.size());
  auto const host = Kokkos::create_mirror(out);
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(out, host);
  return out;
}

PixelList list_of(std::vector<int> const& pixels, int num_cols) {
  std::vector<float> row, col;
  for (int const pixel : pixels) {
    row.push_back(static_cast<float>(pixel / num_cols));
    col.push_back(static_cast<float>(pixel % num_cols));
  }
  return {on_device(pixels), on_device(row), on_device(col)};
}

/// One slice of all pixels.
std::vector<float> plane(Volume const& volume, int slice) {
  std::vector<float> out;
  for (Index pixel = 0; pixel < volume.shape.num_pixels(); ++pixel)
    out.push_back(volume.values[pixel * volume.shape.num_slices + slice]);
  return out;
}

VolumeShard shard_of(Volume const& volume, SliceBlocks const& blocks, int shard, Padding padding,
                     OuterSlices const& outer) {
  VolumeShard out{volume.shape, blocks, shard, {}, {}, {}};
  Index const num_pixels = volume.shape.num_pixels();
  Cylinders const values("volume", blocks.per_shard, num_pixels, blocks.lanes);
  auto const host = Kokkos::create_mirror(values);
  Kokkos::deep_copy(host, padding.value);
  for (int b = 0; b < blocks.per_shard; ++b) {
    Range const slices = blocks.slices(shard * blocks.per_shard + b);
    for (Index pixel = 0; pixel < num_pixels; ++pixel)
      for (int slice = slices.begin; slice < slices.end; ++slice)
        host(b, pixel, slice - slices.begin) = volume.values[pixel * volume.shape.num_slices + slice];
  }
  Kokkos::deep_copy(values, host);
  out.values = values;
  int const begin = shard * blocks.shard_size;
  int const end = std::min(begin + blocks.shard_size, blocks.num_slices);
  if (begin >= end) return out;
  if (begin > 0)
    out.below = on_device(plane(volume, begin - 1));
  else if (!outer.below.empty())
    out.below = on_device(outer.below);
  if (end < blocks.num_slices)
    out.above = on_device(plane(volume, end));
  else if (!outer.above.empty())
    out.above = on_device(outer.above);
  return out;
}

}  // namespace

Volume random_volume(ReconShape const& shape, unsigned seed, float spread) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0, spread);
  Volume out{shape, std::vector<float>(shape.size())};
  for (float& x : out.values) x = normal(generator);
  // Equal neighbours occur in practice, and are where a power of 0 would be taken.
  for (std::size_t n = 0; n + 1 < out.values.size(); n += 7) out.values[n + 1] = out.values[n];
  return out;
}

VolumeShard whole_volume(Volume const& volume) {
  return shard_of(volume, SliceBlocks(volume.shape.num_slices, 1), 0, {std::numeric_limits<float>::quiet_NaN()}, {});
}

std::vector<int> all_pixels(ReconShape const& shape) {
  std::vector<int> pixels(shape.num_pixels());
  std::iota(pixels.begin(), pixels.end(), 0);
  std::shuffle(pixels.begin(), pixels.end(), std::mt19937(5));
  return pixels;
}

Result gradient(GradientFunction const& function, Volume const& volume, std::vector<int> const& pixels, int num_shards,
                Padding padding, OuterSlices const& outer) {
  SliceBlocks const blocks(volume.shape.num_slices, num_shards);
  PixelList const list = list_of(pixels, volume.shape.num_cols);
  std::size_t const num_slices = static_cast<std::size_t>(volume.shape.num_slices);
  Result out{std::vector<float>(pixels.size() * num_slices), std::vector<float>(pixels.size() * num_slices)};
  for (int shard = 0; shard < num_shards; ++shard) {
    Cylinders const g("gradient", blocks.per_shard, pixels.size(), blocks.lanes);
    Cylinders const h("curvature", blocks.per_shard, pixels.size(), blocks.lanes);
    Kokkos::deep_copy(g, std::numeric_limits<float>::quiet_NaN());
    Kokkos::deep_copy(h, std::numeric_limits<float>::quiet_NaN());
    function(shard_of(volume, blocks, shard, padding, outer), list, g, h);
    Kokkos::fence("read the results");
    auto const g_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), g);
    auto const h_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), h);
    for (int b = 0; b < blocks.per_shard; ++b) {
      Range const slices = blocks.slices(shard * blocks.per_shard + b);
      for (std::size_t entry = 0; entry < pixels.size(); ++entry)
        for (int lane = 0; lane < blocks.lanes; ++lane) {
          float const value = g_host(b, entry, lane), bound = h_host(b, entry, lane);
          if (lane >= slices.size()) {
            out.padding_is_inert = out.padding_is_inert && value == 0 && bound > 0 && std::isfinite(bound);
            continue;
          }
          std::size_t const at = entry * num_slices + static_cast<std::size_t>(slices.begin + lane);
          out.gradient[at] = value;
          out.curvature[at] = bound;
        }
    }
  }
  return out;
}

Result gradient(Prior const& prior, Volume const& volume, std::vector<int> const& pixels, int num_shards,
                Padding padding, OuterSlices const& outer) {
  auto const function = [&](VolumeShard const& shard, PixelList const& list, Cylinders const& g, Cylinders const& h) {
    prior.gradient_and_curvature(ExecSpace(), shard, list, g, h);
  };
  return gradient(function, volume, pixels, num_shards, padding, outer);
}

CoupledResult couplings(CouplingFunction const& function, Volume const& volume, std::vector<int> const& pixels,
                        int num_shards, Padding padding) {
  CoupledResult out;
  out.next_row.resize(pixels.size() * static_cast<std::size_t>(volume.shape.num_slices));
  out.next_col.resize(out.next_row.size());
  auto const read = [&](Cylinders const& from, VolumeShard const& shard, std::vector<float>& to) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from);
    for (int b = 0; b < shard.blocks.per_shard; ++b) {
      Range const slices = shard.blocks.slices(shard.shard * shard.blocks.per_shard + b);
      for (std::size_t entry = 0; entry < pixels.size(); ++entry)
        for (int lane = 0; lane < shard.blocks.lanes; ++lane)
          if (lane < slices.size())
            to[entry * static_cast<std::size_t>(volume.shape.num_slices) +
               static_cast<std::size_t>(slices.begin + lane)] = host(b, entry, lane);
          else
            out.padding_is_zero = out.padding_is_zero && host(b, entry, lane) == 0;
    }
  };
  auto const plain = [&](VolumeShard const& shard, PixelList const& list, Cylinders const& g, Cylinders const& h) {
    PlaneCouplings const found{Cylinders("next_row", g.extent(0), g.extent(1), g.extent(2)),
                               Cylinders("next_col", g.extent(0), g.extent(1), g.extent(2))};
    for (Cylinders const& view : {found.next_row, found.next_col})
      Kokkos::deep_copy(view, std::numeric_limits<float>::quiet_NaN());
    function(shard, list, g, h, found);
    Kokkos::fence("read the couplings");
    read(found.next_row, shard, out.next_row);
    read(found.next_col, shard, out.next_col);
  };
  out.plain = gradient(plain, volume, pixels, num_shards, padding);
  return out;
}

CoupledResult couplings(Prior const& prior, Volume const& volume, std::vector<int> const& pixels, int num_shards,
                        Padding padding) {
  auto const function = [&](VolumeShard const& shard, PixelList const& list, Cylinders const& g, Cylinders const& h,
                            PlaneCouplings const& found) {
    prior.gradient_curvature_and_couplings(ExecSpace(), shard, list, g, h, found);
  };
  return couplings(function, volume, pixels, num_shards, padding);
}

std::vector<double> loss_per_slice(LossFunction const& function, Volume const& volume, int num_shards,
                                   Padding padding) {
  SliceBlocks const blocks(volume.shape.num_slices, num_shards);
  std::vector<double> out;
  for (int shard = 0; shard < num_shards; ++shard) {
    Array1<double> const loss("loss", blocks.shard_size);
    function(shard_of(volume, blocks, shard, padding, {}), loss);
    Kokkos::fence("read the loss");
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loss);
    for (int n = 0; n < blocks.shard_size && shard * blocks.shard_size + n < blocks.num_slices; ++n)
      out.push_back(host(n));
  }
  return out;
}

std::vector<double> loss_per_slice(Prior const& prior, Volume const& volume, int num_shards, Padding padding) {
  auto const function = [&](VolumeShard const& shard, Array1<double> const& loss) {
    prior.loss_per_slice(ExecSpace(), shard, loss);
  };
  return loss_per_slice(function, volume, num_shards, padding);
}

}  // namespace strata::testing_prior
