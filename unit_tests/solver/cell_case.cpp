#include "unit_tests/solver/cell_case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include "core/model/pixel_list_builder.hpp"

namespace strata::test {
namespace {

using Vector = CellSystem::Vector;

/// Lanes of a shard from [position][slice].
Cylinders shard_of(SliceBlocks const& blocks, int shard, std::vector<float> const& values, float padding) {
  std::size_t const positions = values.size() / static_cast<std::size_t>(blocks.num_slices);
  Cylinders const out("test::shard", static_cast<std::size_t>(blocks.per_shard), positions,
                      static_cast<std::size_t>(blocks.lanes));
  auto const host = Kokkos::create_mirror(out);
  Kokkos::deep_copy(host, padding);
  for (int b = 0; b < blocks.per_shard; ++b) {
    Range const slices = blocks.slices(shard * blocks.per_shard + b);
    for (std::size_t t = 0; t < positions; ++t)
      for (int lane = 0; lane < slices.size(); ++lane)
        host(b, t, lane) = values[t * blocks.num_slices + slices.begin + lane];
  }
  Kokkos::deep_copy(out, host);
  return out;
}

void read_shard(SliceBlocks const& blocks, int shard, Cylinders const& direction, SliceSums const& sums,
                CellResult& result) {
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), direction);
  auto const totals = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums.total());
  for (int b = 0; b < blocks.per_shard; ++b) {
    Range const slices = blocks.slices(shard * blocks.per_shard + b);
    for (int lane = 0; lane < blocks.lanes; ++lane) {
      bool const real = lane < slices.size();
      for (std::size_t t = 0; t < values.extent(1); ++t)
        if (real)
          result.direction[t * blocks.num_slices + slices.begin + lane] = values(b, t, lane);
        else
          result.padding_is_zero = result.padding_is_zero && values(b, t, lane) == 0;
      if (!real) continue;
      result.descent[slices.begin + lane] = totals(0, b * blocks.lanes + lane);
      result.curvature[slices.begin + lane] = totals(1, b * blocks.lanes + lane);
    }
  }
}

/// Minimum of the quadratic over the voxels of `free`, the others at their bounds.
Vector solve(CellSystem const& cell, std::array<bool, 4> const& free) {
  Vector d{};
  std::array<std::array<double, 5>, 4> rows{};
  for (int i = 0; i < 4; ++i) {
    if (!free[i]) {
      d[i] = cell.entry[i] < 0 ? 0 : cell.lowest[i];
      rows[i][i] = 1;
      rows[i][4] = d[i];
      continue;
    }
    for (int j = 0; j < 4; ++j) rows[i][j] = cell.matrix[i][j];
    rows[i][4] = -cell.slope[i];
  }
  for (int i = 0; i < 4; ++i)  // Gauss-Jordan; the matrix is positive definite where it counts
    for (int k = 0; k < 4; ++k) {
      if (k == i) continue;
      double const factor = rows[k][i] / rows[i][i];
      for (int j = i; j < 5; ++j) rows[k][j] -= factor * rows[i][j];
    }
  for (int i = 0; i < 4; ++i) d[i] = rows[i][4] / rows[i][i];
  return d;
}

}  // namespace

CellCase random_cells(ReconShape const& shape, PixelCorrelations const& correlations, CellCaseOptions const& options) {
  std::mt19937 random(options.seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::normal_distribution<float> normal(0, 1);
  CellCase out{shape, {}, {0.7f, options.clip}, correlations, options.coupled, {}, {}, {}, {}, {}, {}, {}};
  for (int p = 0; p < shape.num_pixels(); ++p)
    if (uniform(random) < options.keep) out.pixels.push_back(p);
  if (out.pixels.empty()) out.pixels.push_back(0);
  out.pixels = z_order(out.pixels, shape.num_cols);
  std::size_t const values = out.pixels.size() * static_cast<std::size_t>(shape.num_slices);
  for (std::size_t v = 0; v < values; ++v) {
    out.back_projection.push_back(normal(random));
    out.prior_gradient.push_back(normal(random));
    out.next_row.push_back(uniform(random) < 0.2f ? 0.f : uniform(random));
    out.next_col.push_back(0.7f * uniform(random));
  }
  // An edge belongs to both its ends: 2 such couplings are at most there in each axis.
  for (std::size_t v = 0; v < values; ++v)
    out.prior_curvature.push_back(options.coupled ? 1.8f + 0.5f * uniform(random) : 0.4f);
  for (Index v = 0; v < shape.size(); ++v) {
    out.hessian.push_back(0.3f + 3 * uniform(random));
    float const x = uniform(random);
    out.recon.push_back(x < 0.3f ? 0.f : x < 0.4f ? -x : x);
  }
  return out;
}

CellCase without_entries(CellCase const& cells, std::size_t begin, std::size_t end) {
  CellCase out = cells;
  auto const cut = [](auto& values, std::size_t first, std::size_t last) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(first),
                 values.begin() + static_cast<std::ptrdiff_t>(last));
  };
  cut(out.pixels, begin, end);
  for (auto* const values :
       {&out.back_projection, &out.prior_gradient, &out.prior_curvature, &out.next_row, &out.next_col})
    cut(*values, cells.at(begin, 0), cells.at(end, 0));
  return out;
}

CellResult run_cells(CellCase const& cells, int num_shards, float padding) {
  SliceBlocks const blocks(cells.shape.num_slices, num_shards);
  auto const num_slices = static_cast<std::size_t>(cells.shape.num_slices);
  CellResult result{std::vector<float>(cells.pixels.size() * num_slices), std::vector<double>(num_slices),
                    std::vector<double>(num_slices)};
  ExecSpace const exec;
  PixelList const pixels = make_pixel_list(exec, cells.pixels, cells.shape.num_cols);
  int const entries = static_cast<int>(cells.pixels.size());
  SliceSums const sums(exec, blocks, 2, entries);
  for (int shard = 0; shard < num_shards; ++shard) {
    auto const lanes = [&](std::vector<float> const& values) { return shard_of(blocks, shard, values, padding); };
    Cylinders const direction = lanes(std::vector<float>(result.direction.size(), padding));
    SubsetArrays const arrays{pixels.index,
                              lanes(cells.back_projection),
                              lanes(cells.prior_gradient),
                              lanes(cells.prior_curvature),
                              lanes(cells.hessian),
                              lanes(cells.recon),
                              direction};
    PlaneCouplings couplings;
    if (cells.coupled) couplings = {lanes(cells.next_row), lanes(cells.next_col)};
    cell_direction(exec, {blocks, shard}, cells.rule, {cells.correlations, cells.shape.num_cols}, arrays, couplings,
                   sums);
    exec.fence("test: read the direction");
    read_shard(blocks, shard, direction, sums, result);
  }
  return result;
}

int CellSystem::members() const {
  return static_cast<int>(std::count_if(entry.begin(), entry.end(), [](int t) { return t >= 0; }));
}

double product(Vector const& a, Vector const& b) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += a[i] * b[i];
  return sum;
}

double product(std::array<Vector, 4> const& matrix, Vector const& a, Vector const& b) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += a[i] * product(matrix[i], b);
  return sum;
}

double CellSystem::value(Vector const& d) const {
  return product(slope, d) + product(matrix, d, d) / 2;
}

Vector CellSystem::swept(int sweeps) const {
  Vector d{};
  for (int i = 0; i < 4 * sweeps; ++i) {
    int const v = i % 4;
    if (entry[v] < 0) continue;
    double const others = product(matrix[v], d) - matrix[v][v] * d[v];
    d[v] = std::max(-(slope[v] + others) / matrix[v][v], lowest[v]);
  }
  return d;
}

Vector CellSystem::minimiser() const {
  Vector best{};
  for (int set = 0; set < 16; ++set) {
    std::array<bool, 4> free{};
    bool possible = true;
    for (int i = 0; i < 4; ++i) {
      free[i] = (set >> i & 1) != 0;
      if (free[i]) possible = possible && entry[i] >= 0;
      if (!free[i] && entry[i] >= 0) possible = possible && std::isfinite(lowest[i]);
    }
    if (!possible) continue;
    Vector const d = solve(*this, free);
    for (int i = 0; i < 4; ++i) possible = possible && (entry[i] < 0 || d[i] >= lowest[i]);
    if (possible && value(d) < value(best)) best = d;
  }
  return best;
}

std::vector<CellSystem> cell_systems(CellCase const& cells, int slice) {
  int const cols = cells.shape.num_cols;
  std::map<std::pair<int, int>, CellSystem> found;
  for (std::size_t t = 0; t < cells.pixels.size(); ++t) {
    int const row = cells.pixels[t] / cols, col = cells.pixels[t] % cols;
    found[{row / 2, col / 2}].entry[2 * (row % 2) + col % 2] = static_cast<int>(t);
  }
  PixelCorrelations const& rho = cells.correlations;
  double const alike[4][4] = {{1, rho.next_col, rho.next_row, rho.diagonal},
                              {rho.next_col, 1, rho.antidiagonal, rho.next_row},
                              {rho.next_row, rho.antidiagonal, 1, rho.next_col},
                              {rho.diagonal, rho.next_row, rho.next_col, 1}};
  std::vector<CellSystem> systems;
  for (auto& [where, cell] : found) {
    double const factor = cells.rule.data_factor;
    Vector data{};
    for (int i = 0; i < 4; ++i) {
      if (cell.entry[i] < 0) continue;
      std::size_t const v = cells.at(static_cast<std::size_t>(cell.entry[i]), slice);
      std::size_t const voxel = cells.at(static_cast<std::size_t>(cells.pixels[cell.entry[i]]), slice);
      data[i] = factor * cells.hessian[voxel];
      cell.slope[i] = cells.prior_gradient[v] - factor * cells.back_projection[v];
      cell.scale[i] = std::abs(cells.prior_gradient[v]) + std::abs(factor * cells.back_projection[v]);
      cell.prior[i][i] = cells.prior_curvature[v];
      cell.lowest[i] = !cells.rule.clip_direction ? -std::numeric_limits<double>::infinity()
                                                  : -std::max(double(cells.recon[voxel]), 0.0);
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        bool const edge = (i ^ j) == 1 || (i ^ j) == 2;
        if (edge && cells.coupled && cell.entry[i] >= 0 && cell.entry[j] >= 0) {
          auto const& couplings = (i ^ j) == 1 ? cells.next_col : cells.next_row;
          cell.prior[i][j] = -couplings[cells.at(static_cast<std::size_t>(cell.entry[std::min(i, j)]), slice)];
        }
        cell.matrix[i][j] = alike[i][j] * std::sqrt(data[i] * data[j]) + cell.prior[i][j];
      }
    systems.push_back(cell);
  }
  return systems;
}

Vector direction_of(CellCase const& cells, CellResult const& result, CellSystem const& cell, int slice) {
  Vector d{};
  for (int i = 0; i < 4; ++i)
    if (cell.entry[i] >= 0) d[i] = result.direction[cells.at(static_cast<std::size_t>(cell.entry[i]), slice)];
  return d;
}

}  // namespace strata::test
