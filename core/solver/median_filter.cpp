#include "core/solver/median_filter.hpp"

#include "core/base/error.hpp"
#include "core/base/lanes.hpp"
#include "core/model/shard_access.hpp"
#include "core/placement/transfer.hpp"

namespace strata {
namespace {

constexpr int num_values = 27;
/// A value that is the least or the greatest of this many of 27 cannot be the median.
constexpr int num_kept = num_values / 2 + 2;

/// One value of `lane_group` voxels.
struct Lanes {
  Real value[lane_group];
};

/// a = the smaller, b = the greater, lane by lane.
KOKKOS_INLINE_FUNCTION void order(Lanes& a, Lanes& b) {
#pragma omp simd
  for (int l = 0; l < lane_group; ++l) {
    Real const low = b.value[l] < a.value[l] ? b.value[l] : a.value[l];
    b.value[l] = b.value[l] < a.value[l] ? a.value[l] : b.value[l];
    a.value[l] = low;
  }
}

/// The least of kept[0 .. count) goes to the front, the greatest to the back.
KOKKOS_INLINE_FUNCTION void part_extremes(Lanes* kept, int count) {
  for (int i = 0; i < count / 2; ++i) order(kept[i], kept[count - 1 - i]);
  for (int i = 1; i < (count + 1) / 2; ++i) order(kept[0], kept[i]);
  for (int i = count / 2; i < count - 1; ++i) order(kept[i], kept[count - 1]);
}

/// The voxels that surround lane `lane + l` of block `block`, value `n` of 27: cylinder n / 3 of nine, slice n % 3.
struct Surroundings {
  ShardAccess const& shard;
  int block, lane, real;
  int pixels[9];

  KOKKOS_INLINE_FUNCTION Surroundings(ShardAccess const& access, int block_, int pixel, int lane_, int real_)
      : shard(access), block(block_), lane(lane_), real(real_) {
    int const row = pixel / access.num_cols, col = pixel % access.num_cols;
    for (int n = 0; n < 9; ++n) {
      int const r = Kokkos::clamp(row + n / 3 - 1, 0, access.num_rows - 1);
      int const c = Kokkos::clamp(col + n % 3 - 1, 0, access.num_cols - 1);
      pixels[n] = r * access.num_cols + c;
    }
  }

  KOKKOS_INLINE_FUNCTION Lanes get(int n) const {
    int const pixel = pixels[n / 3];
    int const step = n % 3 - 1;
    Lanes lanes;
    for (int l = 0; l < lane_group; ++l) {
      int const at = lane + l + step;
      Real const inner = shard.values(block, pixel, Kokkos::clamp(at, 0, shard.blocks.lanes - 1));
      lanes.value[l] = lane + l < real ? inner : Real(0);
    }
    if (lane + step < 0) lanes.value[0] = shard.before(block, pixel, real);
    int const last = real - 1 - lane;  // the last voxel, if it is in this group
    if (step > 0 && last >= 0 && last < lane_group) lanes.value[last] = shard.after(block, pixel, real);
    return lanes;
  }
};

void median_of_shard(ExecSpace const& exec, VolumeShard const& volume, Cylinders const& output) {
  ShardAccess const shard(volume);
  int const groups = shard.blocks.lanes / lane_group;
  int const pixels = output.extent_int(1);
  Kokkos::parallel_for(
      "strata::median_filter",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0,
                                                               Index(pixels) * shard.blocks.per_shard * groups),
      KOKKOS_LAMBDA(Index item) {
        int const lane = static_cast<int>(item % groups) * lane_group;
        int const pixel = static_cast<int>(item / groups % pixels);
        int const block = static_cast<int>(item / groups / pixels);
        Surroundings const around(shard, block, pixel, lane, shard.real_lanes(block));
        Lanes kept[num_kept];
        for (int n = 0; n < num_kept; ++n) kept[n] = around.get(n);
        int count = num_kept;
        for (int next = num_kept; next < num_values; ++next) {
          part_extremes(kept, count);
          kept[0] = around.get(next);
          --count;
        }
        part_extremes(kept, count);
        for (int l = 0; l < lane_group; ++l) output(block, pixel, lane + l) = kept[1].value[l];
      });
}

}  // namespace

void median_filter(ShardedVolume const& image, ReconShape const& shape, ShardedVolume const& output) {
  ensure(image[0].data() != output[0].data(), "median_filter: image and output must be different arrays");
  Halo const halo(image.placement, shape.num_pixels());
  halo.exchange(image);
  image.placement.devices()->for_each([&](int d, ExecSpace const& exec) {
    VolumeShard const volume{shape, image.placement.blocks(), d, image[d], halo.below(d), halo.above(d)};
    median_of_shard(exec, volume, output[d]);
  });
  image.placement.devices()->fence("median_filter: halos go out of scope");
}

}  // namespace strata
