#include "core/solver/cell_kernels.hpp"

#include "core/base/error.hpp"
#include "core/solver/pixel_cell.hpp"
#include "core/solver/slice_items.hpp"

namespace strata {
namespace {

constexpr int cell_voxels = 4;  // of a cell: number 2 (row mod 2) + col mod 2
constexpr int cell_sweeps = 3;
constexpr int cell_pairs = 6;

using CellLanes = Real[lane_group];

/// The voxels that an off-diagonal entry joins; the first four pairs are edges of the prior.
KOKKOS_INLINE_FUNCTION constexpr int first_of(int pair) {
  constexpr int first[cell_pairs] = {0, 2, 0, 1, 0, 1};
  return first[pair];
}
KOKKOS_INLINE_FUNCTION constexpr int second_of(int pair) {
  constexpr int second[cell_pairs] = {1, 3, 2, 3, 3, 2};
  return second[pair];
}
constexpr int cell_edges = 4;

/// One cell in a group of lanes.
struct Cell {
  CellLanes slope[cell_voxels];      // g
  CellLanes root[cell_voxels];       // sqrt(data_factor H)
  CellLanes prior[cell_voxels];      // diagonal of P
  CellLanes coupling[cell_edges];    // -P beside the diagonal
  CellLanes inverse[cell_voxels];    // 1 / B_ii; 0: the voxel stays
  CellLanes beside[cell_pairs];      // B_ij
  CellLanes lowest[cell_voxels];     // of the direction
  CellLanes direction[cell_voxels];  // d
};

/// Arrays of one layout, as plain pointers: with Views a kernel would be too large to be launched quickly.
struct CellArrays {
  CellArrays(SubsetArrays const& subset, PlaneCouplings const& couplings)
      : pixels(subset.pixels.data()),
        entries(subset.pixels.extent_int(0)),
        lanes(subset.direction.extent_int(2)),
        entries_stored(subset.direction.extent_int(1)),
        pixels_stored(subset.recon.extent_int(1)),
        back_projection(compact(subset.back_projection)),
        prior_gradient(compact(subset.prior_gradient)),
        prior_curvature(compact(subset.prior_curvature)),
        next_row(couplings.next_row.size() > 0 ? compact(couplings.next_row) : nullptr),
        next_col(couplings.next_col.size() > 0 ? compact(couplings.next_col) : nullptr),
        hessian(subset.hessian.data()),
        recon(subset.recon.data()),
        direction(subset.direction.data()) {
    ensure(subset.hessian.extent_int(1) == pixels_stored, "cell_direction: volumes of different planes");
  }

  int const* pixels;
  int entries, lanes;
  int entries_stored, pixels_stored;  // of a block, in compact arrays and in volumes
  Real const *back_projection, *prior_gradient, *prior_curvature;
  Real const *next_row, *next_col;  // null: no couplings
  Real const *hessian, *recon;
  Real* direction;

  KOKKOS_FUNCTION Index of_entry(SliceItem const& item, int entry) const {
    return (Index(item.block) * entries_stored + entry) * lanes + item.lane;
  }
  KOKKOS_FUNCTION Index of_pixel(SliceItem const& item, int pixel) const {
    return (Index(item.block) * pixels_stored + pixel) * lanes + item.lane;
  }

 private:
  template <class T>
  Real const* compact(T const& array) const {
    ensure(array.extent_int(1) == entries_stored && array.extent_int(2) == lanes, "cell_direction: arrays of ",
           entries_stored, " entries expected, got ", array.extent(1));
    return array.data();
  }
};

/// Which entry of the list is which voxel of the cell that begins at an entry; -1: none.
struct CellEntries {
  int entry[cell_voxels] = {-1, -1, -1, -1};
  int next;  // the entry after the cell
};

KOKKOS_INLINE_FUNCTION CellEntries cell_at(CellArrays const& arrays, int begin, int num_cols) {
  CellEntries cell;
  int const number = cell_of(arrays.pixels[begin], num_cols);
  int t = begin;
  for (; t < arrays.entries && t < begin + cell_voxels; ++t) {
    int const pixel = arrays.pixels[t];
    if (cell_of(pixel, num_cols) != number) break;
    cell.entry[2 * (pixel / num_cols % 2) + pixel % num_cols % 2] = t;
  }
  cell.next = t;
  return cell;
}

/// The first entry from the beginning of a chunk on where a cell begins.
KOKKOS_INLINE_FUNCTION int first_cell(CellArrays const& arrays, int t, int num_cols) {
  if (t == 0) return t;
  int const number = cell_of(arrays.pixels[t - 1], num_cols);
  while (t < arrays.entries && cell_of(arrays.pixels[t], num_cols) == number) ++t;
  return t;
}

KOKKOS_INLINE_FUNCTION void load_voxel(CellArrays const& arrays, DirectionRule const& rule, SliceItem const& item,
                                       int t, int voxel, Cell& cell) {
  int const real = t < 0 ? 0 : item.real;
  int const entry = t < 0 ? item.begin : t;
  Index const own = arrays.of_entry(item, entry), whole = arrays.of_pixel(item, arrays.pixels[entry]);
  Real const* __restrict const back = arrays.back_projection + own;
  Real const* __restrict const gradient = arrays.prior_gradient + own;
  Real const* __restrict const prior = arrays.prior_curvature + own;
  Real const* __restrict const hessian = arrays.hessian + whole;
  Real const* __restrict const x = arrays.recon + whole;
  Real const free = -Kokkos::Experimental::finite_max_v<Real>;
  bool const clip = rule.clip_direction;
  Real const factor = rule.data_factor;
#pragma omp simd
  for (int l = 0; l < lane_group; ++l) {
    bool const there = l < real;
    Real const data = there ? factor * hessian[l] : Real(0);
    Real const curvature = there ? prior[l] : Real(0);
    Real const diagonal = data + curvature;
    Real const bound = x[l] > 0 ? -x[l] : Real(0);
    cell.slope[voxel][l] = there ? gradient[l] - factor * back[l] : Real(0);
    cell.root[voxel][l] = Kokkos::sqrt(data);
    cell.prior[voxel][l] = curvature;
    cell.inverse[voxel][l] = diagonal > 0 ? 1 / diagonal : Real(0);
    cell.lowest[voxel][l] = !there ? Real(0) : clip ? bound : free;
    cell.direction[voxel][l] = 0;
  }
}

KOKKOS_INLINE_FUNCTION void load_beside(CellArrays const& arrays, PixelCorrelations const& rho, SliceItem const& item,
                                        CellEntries const& at, Cell& cell) {
  Real const alike[cell_pairs] = {as_real(rho.next_col), as_real(rho.next_col), as_real(rho.next_row),
                                  as_real(rho.next_row), as_real(rho.diagonal), as_real(rho.antidiagonal)};
  for (int pair = 0; pair < cell_pairs; ++pair) {
    int const i = first_of(pair), j = second_of(pair);
    for (int l = 0; l < lane_group; ++l) cell.beside[pair][l] = alike[pair] * cell.root[i][l] * cell.root[j][l];
    if (pair >= cell_edges) continue;
    Real const* const from = pair < 2 ? arrays.next_col : arrays.next_row;
    bool const both = from && at.entry[i] >= 0 && at.entry[j] >= 0;
    for (int l = 0; l < lane_group; ++l) cell.coupling[pair][l] = 0;
    if (both) {
      Real const* __restrict const c = from + arrays.of_entry(item, at.entry[i]);
      for (int l = 0; l < lane_group; ++l) cell.coupling[pair][l] = l < item.real ? c[l] : Real(0);
    }
    for (int l = 0; l < lane_group; ++l) cell.beside[pair][l] -= cell.coupling[pair][l];
  }
}

/// One voxel moves to where the quadratic of its cell is lowest, the others at rest.
template <int i>
KOKKOS_FORCEINLINE_FUNCTION void relax(Cell& cell) {
#pragma omp simd
  for (int l = 0; l < lane_group; ++l) {
    Real slope = cell.slope[i][l];
    for (int pair = 0; pair < cell_pairs; ++pair) {
      if (first_of(pair) == i) slope += cell.beside[pair][l] * cell.direction[second_of(pair)][l];
      if (second_of(pair) == i) slope += cell.beside[pair][l] * cell.direction[first_of(pair)][l];
    }
    Real const d = -slope * cell.inverse[i][l];
    cell.direction[i][l] = d > cell.lowest[i][l] ? d : cell.lowest[i][l];
  }
}

KOKKOS_INLINE_FUNCTION void store_direction(CellArrays const& arrays, SliceItem const& item, CellEntries const& at,
                                            Cell const& cell, LaneSums& descent, LaneSums& curvature) {
  for (int i = 0; i < cell_voxels; ++i) {
    if (at.entry[i] < 0) continue;
    Real* __restrict const out = arrays.direction + arrays.of_entry(item, at.entry[i]);
#pragma omp simd
    for (int l = 0; l < lane_group; ++l) {
      double const d = cell.direction[i][l];
      out[l] = cell.direction[i][l];
      descent.values[l] -= double(cell.slope[i][l]) * d;
      curvature.values[l] += double(cell.prior[i][l]) * d * d;
    }
  }
  for (int edge = 0; edge < cell_edges; ++edge) {
#pragma omp simd
    for (int l = 0; l < lane_group; ++l)
      curvature.values[l] -= 2 * double(cell.coupling[edge][l]) * double(cell.direction[first_of(edge)][l]) *
                             double(cell.direction[second_of(edge)][l]);
  }
}

}  // namespace

void cell_direction(ExecSpace const& exec, ShardBlocks const& shard, DirectionRule const& rule, CellRule const& cells,
                    SubsetArrays const& subset, PlaneCouplings const& couplings, SliceSums const& sums) {
  CellArrays const arrays(subset, couplings);
  int const entries = arrays.entries;
  auto const partial = sums.partial();
  Kokkos::parallel_for(
      "strata::cell_direction", ItemPolicy(exec, 0, num_items(shard, entries)), KOKKOS_LAMBDA(Index i) {
        SliceItem const item(i, shard, entries);
        LaneSums descent, curvature;
        // The last cell is finished, wherever it ends; the next chunk begins behind it.
        for (int t = first_cell(arrays, item.begin, cells.num_cols); t < item.end;) {
          CellEntries const at = cell_at(arrays, t, cells.num_cols);
          int const ahead = at.next + fetch_distance < item.end ? at.next + fetch_distance : t;
          for (int k = 0; k < cell_voxels && ahead + k < item.end; ++k) {
            Index const next = arrays.of_pixel(item, arrays.pixels[ahead + k]);
            fetch(arrays.hessian + next);
            fetch(arrays.recon + next);
          }
          Cell cell;
          for (int voxel = 0; voxel < cell_voxels; ++voxel)
            load_voxel(arrays, rule, item, at.entry[voxel], voxel, cell);
          load_beside(arrays, cells.correlations, item, at, cell);
          for (int sweep = 0; sweep < cell_sweeps; ++sweep) {
            relax<0>(cell);
            relax<1>(cell);
            relax<2>(cell);
            relax<3>(cell);
          }
          store_direction(arrays, item, at, cell, descent, curvature);
          t = at.next;
        }
        store(descent, partial, 0, item, shard.blocks.lanes);
        store(curvature, partial, 1, item, shard.blocks.lanes);
      });
  sums.add_chunks(exec, entries, false);
}

}  // namespace strata
