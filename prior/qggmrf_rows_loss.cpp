#include "prior/qggmrf_kernels.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)

#include "core/model/shard_access.hpp"
#include "prior/row_potential.hpp"

namespace strata {
namespace {

using lanes::Float;
using lanes::Int;
using Double = double __attribute__((vector_size(8 * lanes::width)));

/// One vector of slices of a block.
struct SliceVector {
  int block;
  int lane;  ///< of the block, the vector's first
  int real;  ///< lanes of the vector that hold slices
};

/// sum += b rho(d); lanes with magnitude 0 must have d = 0.
template <class F>
STRATA_INLINE void add_value(RowPotential const& f, float weight, Float difference, Int magnitude, Double& sum) {
  Float const d[1] = {lanes::from_bits(lanes::bits(difference) & (magnitude | (magnitude << 1)))};
  Int const masks[1] = {magnitude};
  Float w[1], second[1];
  lanes::tail<F>(f, d, masks, w, second);
  Float value = (d[0] * d[0]) * w[0];
  if constexpr (!F::quadratic) value = value * second[0];
  sum += __builtin_convertvector(value * (f.scalar.value_scale * weight), Double);
}

/// Differences from the pixel's slices to the next ones.
STRATA_INLINE Float slice_difference(ShardAccess const& shard, SliceVector const& at, int pixel, int block_real) {
  float next[lanes::width] = {};
  float const* const row = &shard.values(at.block, pixel, at.lane);
  for (int l = 0; l < at.real; ++l)
    next[l] = at.lane + l + 1 < block_real ? row[l + 1] : shard.after(at.block, pixel, block_real);
  return lanes::load(next) - lanes::load(row);
}

/// per_slice of one vector of slices, summed over all pixels in order.
template <class F>
void sum_loss(RowPotential const& f, ShardAccess const& shard, SliceVector const& at, double* per_slice) {
  int const block_real = shard.real_lanes(at.block);
  Int const magnitude = lanes::mask_below(at.real) & 0x7fffffff;
  int const num_pixels = shard.num_rows * shard.num_cols;
  Double sum{};
  for (int pixel = 0; pixel < num_pixels; ++pixel) {
    PlaneNeighbours const near(pixel, shard.num_rows, shard.num_cols);
    Float const x = lanes::load(&shard.values(at.block, pixel, at.lane));
    Float const below = lanes::load(&shard.values(at.block, near.row_after, at.lane));
    Float const right = lanes::load(&shard.values(at.block, near.col_after, at.lane));
    add_value<F>(f, f.scalar.weight_row, below - x, magnitude, sum);
    add_value<F>(f, f.scalar.weight_col, right - x, magnitude, sum);
    add_value<F>(f, f.scalar.weight_slice, slice_difference(shard, at, pixel, block_real), magnitude, sum);
  }
  for (int l = 0; l < at.real; ++l) per_slice[l] = sum[l];
}

template <class F>
void launch_loss(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                 Array1<double> const& per_slice) {
  ShardAccess const shard(volume);
  int const vectors = shard.blocks.lanes / lanes::width;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::qggmrf_loss_by_row", Policy(exec, 0, shard.blocks.per_shard * vectors), KOKKOS_LAMBDA(int task) {
        int const block = task / vectors;
        int const lane = (task % vectors) * lanes::width;
        int const real = Kokkos::min(shard.real_lanes(block) - lane, lanes::width);
        if (real <= 0) return;
        sum_loss<F>(potential, shard, {block, lane, real}, &per_slice(block * shard.blocks.lanes + lane));
      });
}

}  // namespace

void qggmrf_loss_by_row(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                        Array1<double> const& per_slice) {
  with_form(potential, [&]<class F>(F) { launch_loss<F>(exec, potential, volume, per_slice); });
}

}  // namespace strata

#endif
