#include "prior/qggmrf_kernels.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)

#include "core/model/shard_access.hpp"
#include "prior/row_potential.hpp"
#include "prior/sweep_access.hpp"

namespace strata {
namespace {

using lanes::Float;
using lanes::Int;
using Double = double __attribute__((vector_size(8 * lanes::width)));

/// One vector of slices of a block.
struct BlockVector {
  int block;
  int lane;        ///< of the block, the vector's first
  int block_real;  ///< lanes of the block that hold slices
  int real() const { return block_real - lane < lanes::width ? block_real - lane : lanes::width; }
};

/// The differences to the next row, column and slice; padded lanes give 0 whatever they hold.
STRATA_INLINE void forward_differences(SweepVolume const& shape, SweepArray const& array, BlockVector const& at,
                                       int pixel, PlaneNeighbours const& near, Int keep, Float (&d)[3]) {
  float const* const row = array.cylinder(shape, at.block, pixel) + at.lane;
  Float const x = lanes::load(row);
  Float next;
  if (at.lane + lanes::width < at.block_real) {
    next = lanes::shift_down(x, lanes::load(row + lanes::width));
  } else {
    Float const after = lanes::broadcast(array.after(shape, at.block, pixel, at.block_real));
    next = lanes::select(lanes::mask_below(at.real() - 1), lanes::shift_down(x, after), after);
  }
  Float const raw[3] = {lanes::load(array.cylinder(shape, at.block, near.row_after) + at.lane) - x,
                        lanes::load(array.cylinder(shape, at.block, near.col_after) + at.lane) - x, next - x};
  for (int axis = 0; axis < 3; ++axis) d[axis] = lanes::from_bits(lanes::bits(raw[axis]) & keep);
}

STRATA_INLINE void add(Double& sum, Float value) {
  sum += __builtin_convertvector(value, Double);
}

/// rho and rho'/d of the three differences, weighted.
template <class F>
STRATA_INLINE void potentials(RowPotential const& f, Float const (&d)[3], Int magnitude, Float& value, Float (&c)[3]) {
  float const weights[3] = {f.scalar.weight_row, f.scalar.weight_col, f.scalar.weight_slice};
  Int const masks[3] = {magnitude, magnitude, magnitude};
  Float w[3], second[3];
  lanes::tail<F>(f, d, masks, w, second);
  value = Float{};
  for (int axis = 0; axis < 3; ++axis) {
    Float v = (d[axis] * d[axis]) * w[axis];
    c[axis] = w[axis] * (w[axis] * (weights[axis] * f.scalar.slope) + weights[axis] * f.scalar.constant);
    if constexpr (!F::quadratic) {
      v = v * second[axis];
      c[axis] = c[axis] * second[axis];
    }
    value = value + v * (f.scalar.value_scale * weights[axis]);
  }
}

template <class F, int n>
void sum_part(RowPotential const& f, SweepVolume const& volume, SweepDirections const& directions,
              BlockVector const& at, Range pixels, Double (&sums)[num_quadratic_sums(n)]) {
  Int const keep = lanes::mask_below(at.real());
  Int const magnitude = keep & 0x7fffffff;
  for (Double& sum : sums) sum = Double{};
  for (int pixel = pixels.begin; pixel < pixels.end; ++pixel) {
    PlaneNeighbours const near(pixel, volume.num_rows, volume.num_cols);
    Float d[3], c[3], value, steps[n + 1][3];
    forward_differences(volume, volume.x, at, pixel, near, keep, d);
    potentials<F>(f, d, magnitude, value, c);
    add(sums[0], value);
    for (int i = 0; i < n; ++i) forward_differences(volume, directions.d[i], at, pixel, near, keep, steps[i]);
    int next = 1;
    Float scaled[n + 1][3];
    for (int i = 0; i < n; ++i) {
      for (int axis = 0; axis < 3; ++axis) scaled[i][axis] = c[axis] * steps[i][axis];
      add(sums[next++], scaled[i][0] * d[0] + scaled[i][1] * d[1] + scaled[i][2] * d[2]);
    }
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j)
        add(sums[next++], scaled[i][0] * steps[j][0] + scaled[i][1] * steps[j][1] + scaled[i][2] * steps[j][2]);
  }
}

template <class F, int n>
void launch_surrogate(ExecSpace const& exec, RowPotential const& f, SweepVolume const& volume,
                      SweepDirections const& directions, Array3<double> const& partial) {
  int const vectors = volume.blocks.lanes / lanes::width;
  int const tasks = volume.blocks.per_shard * vectors;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "strata::qggmrf_surrogate_by_row", Policy(exec, 0, tasks * Prior::surrogate_parts), KOKKOS_LAMBDA(int item) {
        int const part = item / tasks;
        int const block = item % tasks / vectors;
        BlockVector const at{block, (item % vectors) * lanes::width, volume.real_lanes(block)};
        if (at.real() <= 0) return;
        Double sums[num_quadratic_sums(n)];
        sum_part<F, n>(f, volume, directions, at, volume.part(part), sums);
        for (int q = 0; q < num_quadratic_sums(n); ++q)
          for (int l = 0; l < lanes::width; ++l)
            partial(part, q, block * volume.blocks.lanes + at.lane + l) = sums[q][l];
      });
}

}  // namespace

void qggmrf_surrogate_by_row(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                             DirectionShards const& directions, Array3<double> const& partial) {
  SweepVolume const sweep(volume);
  SweepDirections const beside(directions);
  with_form(potential, [&]<class F>(F) {
    switch (directions.count) {
      case 0:
        return launch_surrogate<F, 0>(exec, potential, sweep, beside, partial);
      case 1:
        return launch_surrogate<F, 1>(exec, potential, sweep, beside, partial);
      case 2:
        return launch_surrogate<F, 2>(exec, potential, sweep, beside, partial);
      default:
        return launch_surrogate<F, 3>(exec, potential, sweep, beside, partial);
    }
  });
}

}  // namespace strata

#endif
