#include "prior/qggmrf_kernels.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)

#include "core/model/shard_access.hpp"
#include "prior/row_potential.hpp"

namespace strata {
namespace {

using lanes::Float;
using lanes::Int;

constexpr int cylinders_per_task = 16;

/// One cylinder of a block and its surroundings; pointers to `lane` numbers each.
struct Row {
  float const* centre;
  float const* row_before;
  float const* row_after;
  float const* col_before;
  float const* col_after;
  float before;  ///< along the slices
  float after;
  int real;  ///< lanes that hold slices
};

/// b K r and b K (1 - r) of one axis.
struct AxisTerm {
  float constant;
  float slope;
};

struct AxisTerms {
  explicit AxisTerms(QGGMRFPotential const& f)
      : row{f.weight_row * f.constant, f.weight_row * f.slope},
        col{f.weight_col * f.constant, f.weight_col * f.slope},
        slice{f.weight_slice * f.constant, f.weight_slice * f.slope} {}
  AxisTerm row, col, slice;
};

/// Where the results of a cylinder go: pointers to `lane` numbers each; those of couplings null where none are wanted.
struct RowOutput {
  float* gradient;
  float* curvature;
  float* next_row;
  float* next_col;
};

/// `c` becomes the curvature of the edge.
template <class F, int N>
STRATA_INLINE void add_plane_neighbour(RowPotential const& f, AxisTerm const& term, float const* other,
                                       Float const (&x)[N], Int const (&magnitude)[N], Float (&g)[N], Float (&h)[N],
                                       Float (&c)[N]) {
  Float d[N];
  for (int n = 0; n < N; ++n) d[n] = x[n] - lanes::load(other + n * lanes::width);
  lanes::curvature<F>(f, term.constant, term.slope, d, magnitude, c);
  for (int n = 0; n < N; ++n) {
    g[n] = c[n] * d[n] + g[n];
    h[n] = h[n] + c[n];
  }
}

/// The two slice neighbours. Interface l lies before lane l; each is evaluated once and serves both its voxels. Lane
/// `real` stands for the voxel after the last real one.
template <class F, int N>
STRATA_INLINE void add_slice_neighbours(RowPotential const& f, AxisTerm const& term, Row const& row,
                                        Float const (&x)[N], Float (&g)[N], Float (&h)[N]) {
  Float d[N + 1], c[N + 1], flux[N + 1];
  Int magnitude[N + 1];
  Float const after = lanes::broadcast(row.after);
  Float previous = lanes::broadcast(row.before);
  for (int n = 0; n <= N; ++n) {
    Float current = after;
    if (n < N) current = lanes::select(lanes::mask_below(row.real - n * lanes::width), x[n < N ? n : 0], after);
    d[n] = current - lanes::shift_up(previous, current);
    magnitude[n] = lanes::mask_below(row.real + 1 - n * lanes::width) & 0x7fffffff;
    previous = current;
  }
  lanes::curvature<F>(f, term.constant, term.slope, d, magnitude, c);
  for (int n = 0; n <= N; ++n) flux[n] = c[n] * d[n];
  for (int n = 0; n < N; ++n) {
    g[n] = g[n] + (flux[n] - lanes::shift_down(flux[n], flux[n + 1]));
    h[n] = h[n] + (c[n] + lanes::shift_down(c[n], c[n + 1]));
  }
}

/// `values` in the first `real` lanes, 0 in the others.
template <int N>
STRATA_INLINE void store_real(Float const (&values)[N], int real, float* to) {
  for (int n = 0; n < N; ++n) {
    Int const mask = lanes::mask_below(real - n * lanes::width);
    lanes::store(to + n * lanes::width, lanes::from_bits(lanes::bits(values[n]) & mask));
  }
}

/// Gradient and curvature of one row of N vectors, and the couplings when asked for.
template <class F, int N, bool coupled>
void evaluate_row(RowPotential const& f, AxisTerms const& terms, Row const& row, RowOutput const& out) {
  Float x[N], g[N], h[N], c[N];
  Int magnitude[N];
  for (int n = 0; n < N; ++n) {
    x[n] = lanes::load(row.centre + n * lanes::width);
    magnitude[n] = lanes::mask_below(row.real - n * lanes::width) & 0x7fffffff;
    g[n] = Float{};
    h[n] = Float{};
  }
  add_plane_neighbour<F>(f, terms.row, row.row_before, x, magnitude, g, h, c);
  add_plane_neighbour<F>(f, terms.row, row.row_after, x, magnitude, g, h, c);
  if constexpr (coupled) store_real(c, row.real, out.next_row);
  add_plane_neighbour<F>(f, terms.col, row.col_before, x, magnitude, g, h, c);
  add_plane_neighbour<F>(f, terms.col, row.col_after, x, magnitude, g, h, c);
  if constexpr (coupled) store_real(c, row.real, out.next_col);
  add_slice_neighbours<F>(f, terms.slice, row, x, g, h);
  store_real(g, row.real, out.gradient);
  for (int n = 0; n < N; ++n) lanes::store(out.curvature + n * lanes::width, h[n]);
}

Row row_at(ShardAccess const& shard, int block, int pixel, int real) {
  PlaneNeighbours const at(pixel, shard.num_rows, shard.num_cols);
  auto const cylinder = [&](int p) { return &shard.values(block, p, 0); };
  return {cylinder(pixel),
          cylinder(at.row_before),
          cylinder(at.row_after),
          cylinder(at.col_before),
          cylinder(at.col_after),
          shard.before(block, pixel, real),
          shard.after(block, pixel, real),
          real};
}

/// Asks for the numbers that a row is about to read: rows of a random subset follow no pattern that hardware foresees.
template <int N>
STRATA_INLINE void prefetch(Row const& row) {
  for (float const* const from : {row.centre, row.row_before, row.row_after, row.col_before, row.col_after})
    for (int n = 0; n < N; ++n) __builtin_prefetch(from + n * lanes::width);
}

/// `couplings` is left alone unless `coupled`.
template <class F, int N, bool coupled>
void launch_gradient(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                     PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature,
                     PlaneCouplings const& couplings) {
  ShardAccess const shard(volume);
  AxisTerms const terms(potential.scalar);
  Array1<int const> const index = pixels.index;
  int const num_pixels = pixels.size();
  int const num_blocks = shard.blocks.per_shard;
  Index const num_tasks = Index(num_blocks) * ((num_pixels + cylinders_per_task - 1) / cylinders_per_task);
  // A thread takes all blocks of its cylinders in turn: each reads a number of the block before and of the one after.
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Index>>;
  char const* const label = coupled ? "strata::qggmrf_couplings_by_row" : "strata::qggmrf_gradient_by_row";
  Kokkos::parallel_for(
      label, Policy(exec, 0, num_tasks).set_chunk_size(num_blocks), KOKKOS_LAMBDA(Index task) {
        int const block = static_cast<int>(task % num_blocks);
        int const begin = static_cast<int>(task / num_blocks) * cylinders_per_task;
        int const end = Kokkos::min(begin + cylinders_per_task, num_pixels);
        int const real = shard.real_lanes(block);
        Row row = row_at(shard, block, index(begin), real);
        for (int entry = begin; entry < end; ++entry) {
          Row const next = row_at(shard, block, index(Kokkos::min(entry + 1, end - 1)), real);
          prefetch<N>(next);
          RowOutput out{&gradient(block, entry, 0), &curvature(block, entry, 0), nullptr, nullptr};
          if constexpr (coupled) {
            out.next_row = &couplings.next_row(block, entry, 0);
            out.next_col = &couplings.next_col(block, entry, 0);
          }
          evaluate_row<F, N, coupled>(potential, terms, row, out);
          row = next;
        }
      });
}

template <bool coupled>
void choose_kernel(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                   PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature,
                   PlaneCouplings const& couplings) {
  if (pixels.size() == 0) return;
  with_form(potential, [&]<class F>(F) {
    switch (volume.blocks.lanes / lanes::width) {
      case 1:
        return launch_gradient<F, 1, coupled>(exec, potential, volume, pixels, gradient, curvature, couplings);
      case 2:
        return launch_gradient<F, 2, coupled>(exec, potential, volume, pixels, gradient, curvature, couplings);
      case 3:
        return launch_gradient<F, 3, coupled>(exec, potential, volume, pixels, gradient, curvature, couplings);
      default:
        return launch_gradient<F, 4, coupled>(exec, potential, volume, pixels, gradient, curvature, couplings);
    }
  });
}

}  // namespace

void qggmrf_gradient_by_row(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                            PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature) {
  choose_kernel<false>(exec, potential, volume, pixels, gradient, curvature, {});
}

void qggmrf_couplings_by_row(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                             PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature,
                             PlaneCouplings const& couplings) {
  choose_kernel<true>(exec, potential, volume, pixels, gradient, curvature, couplings);
}

}  // namespace strata

#endif
