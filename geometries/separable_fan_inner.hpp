/// Building blocks of separable_fan.cpp: how boxes lie on cells, and what they collect from them.
#pragma once

#include <cmath>

#include "geometries/separable_fan.hpp"

namespace strata::separable {

/// Boxes [left + step * i, left + step * i + width) on cells [m, m + 1), m in [0, num_cells).
struct Fan {
  double left, step;
  Real width;
  int num_cells;
  FanTable table;
  FanPath path;
  int span;    ///< cells that the boxes of one vector touch, at most
  int lowest;  ///< a vector that begins there does not meet cells

  Fan(double left_edge, double box_step, Real box_width, int cells, FanTable const& memory)
      : left(left_edge), step(box_step), width(box_width), num_cells(cells), table(memory) {
    path = fan_path(width, Kokkos::abs(step));
    span = 2 * FanVector::width;
    lowest = -guard;
    if (path != FanPath::wide) return;
    constexpr double limit = 1 << 28;
    double const most = (FanVector::width - 1) * Kokkos::abs(step) + static_cast<double>(width) + 3;
    span = static_cast<int>(most < limit ? most : limit);
    lowest = -span - 1;
  }

  /// Fills the table for vectors `vectors`. Boxes that lie before all cells or behind them are moved into the guards.
  void place(Range vectors) const {
    double const high = vectors_of(num_cells) * FanVector::width;
    double const first = left + (step < 0 ? (FanVector::width - 1) * step : 0);
    place_on_cells(first, FanVector::width * step, vectors.begin, vectors.end, lowest, high, table.base,
                   table.fraction);
  }
};

/// h[row] = sum over taps of weight * sino, for the rows of `vectors`. What is stored behind the last row is not read.
template <int NT>
KOKKOS_FORCEINLINE_FUNCTION void join_channels(RowTaps const& taps, Range vectors, int num_rows, Real* h) {
  FanVector weight[NT];
  for (int t = 0; t < NT; ++t) weight[t] = FanVector(taps.weight[t]);
  auto const join = [&](int j) {
    Real const* const from = taps.sino + j * FanVector::width;
    auto sum = weight[0] * FanVector::load(from);
#pragma GCC unroll 4
    for (int t = 1; t < NT; ++t) sum = fma(weight[t], FanVector::load(from + t * taps.channel_stride), sum);
    return sum;
  };
  int const whole = num_rows / FanVector::width;
  int const end = vectors.end < whole ? vectors.end : whole;
  for (int j = vectors.begin; j < end; ++j) join(j).store(h + j * FanVector::width);
  if (vectors.end > whole) join(whole).first(num_rows % FanVector::width).store(h + whole * FanVector::width);
}

/// Taps at the end that weigh nothing are left out.
KOKKOS_FORCEINLINE_FUNCTION void join_channels(RowTaps const& taps, Range vectors, int num_rows, Real* h) {
  int count = taps.count;
  while (count > 1 && taps.weight[count - 1] == 0) --count;
  switch (count) {
    case 1:
      return join_channels<1>(taps, vectors, num_rows, h);
    case 2:
      return join_channels<2>(taps, vectors, num_rows, h);
    case 3:
      return join_channels<3>(taps, vectors, num_rows, h);
    default:
      return join_channels<4>(taps, vectors, num_rows, h);
  }
}

/// Distances of the boxes of a vector from its first cell, less the table's fraction.
inline FanVector lane_steps(Real step) {
  FanVector const shift(step < 0 ? (1 - FanVector::width) * step : Real(0));
  return larger(fma(FanVector::lanes(), FanVector(step), shift), FanVector());
}

/// Means of cells over boxes of at most 1 cell, each cell taken by the share of the box in it; `squared`: by the
/// square.
template <bool squared>
struct TwoTaps {
  Real const* cells;
  FanTable table;
  FanVector steps, inverse;

  TwoTaps(Fan const& fan, Real const* from) : TwoTaps(from, fan.table, static_cast<Real>(fan.step), 1 / fan.width) {}
  explicit TwoTaps(ForwardEntry const& entry) : TwoTaps(entry.cells, entry.table, entry.step, entry.inverse_width) {}
  TwoTaps(Real const* from, FanTable const& places, Real step, Real inverse_width)
      : cells(from), table(places), steps(lane_steps(step)), inverse(inverse_width) {}

  KOKKOS_FORCEINLINE_FUNCTION FanVector operator()(int j) const {
    Real const* const from = cells + table.base[j];
    auto const low = FanVector::load(from), high = FanVector::load(from + FanVector::width);
    auto const at = steps + FanVector(table.fraction[j]);
    auto const cell = at.whole();
    auto const first = smaller(minus_product(at.fraction(), inverse, inverse), FanVector(1));
    auto const a = pick(low, high, cell), b = pick(low, high, cell + 1);
    if constexpr (!squared) return fma(first, a - b, b);
    auto const second = FanVector(1) - first;
    return fma(first * first, a, (second * second) * b);
  }
};

/// As TwoTaps for boxes of up to 2 cells; `beyond_cell`: of 1 to 2 cells, which saves an operation.
template <bool squared, bool beyond_cell = false>
struct ThreeTaps {
  Real const* cells;
  FanTable table;
  FanVector steps, inverse, last_start;

  ThreeTaps(Fan const& fan, Real const* from)
      : ThreeTaps(from, fan.table, static_cast<Real>(fan.step), 1 / fan.width) {}
  explicit ThreeTaps(ForwardEntry const& entry)
      : ThreeTaps(entry.cells, entry.table, entry.step, entry.inverse_width) {}
  ThreeTaps(Real const* from, FanTable const& places, Real step, Real inverse_width)
      : cells(from),
        table(places),
        steps(lane_steps(step)),
        inverse(inverse_width),
        last_start(1 - 2 * inverse_width) {}

  KOKKOS_FORCEINLINE_FUNCTION FanVector operator()(int j) const {
    Real const* const from = cells + table.base[j];
    auto const low = FanVector::load(from), high = FanVector::load(from + FanVector::width);
    auto const at = steps + FanVector(table.fraction[j]);
    auto const cell = at.whole();
    auto const inside = at.fraction();
    auto const rest = minus_product(inside, inverse, inverse);
    auto const first = beyond_cell ? rest : smaller(rest, FanVector(1));
    auto const last = larger(fma(inside, inverse, last_start), FanVector());
    auto const a = pick(low, high, cell), b = pick(low, high, cell + 1), c = pick(low, high, cell + 2);
    if constexpr (!squared) return fma(last, c - b, fma(first, a - b, b));
    auto const middle = FanVector(1) - first - last;
    return fma(last * last, c, fma(first * first, a, (middle * middle) * b));
  }
};

/// As TwoTaps for boxes of any width.
template <bool squared>
struct WideTaps {
  Real const* cells;
  FanTable table;
  int num_cells, num_taps, reach;
  FanVector steps, width, inverse;

  WideTaps(Fan const& fan, Real const* from)
      : cells(from),
        table(fan.table),
        num_cells(fan.num_cells),
        num_taps(static_cast<int>(Kokkos::ceil(fan.width < 1e8F ? fan.width : 1e8F)) + 1),
        reach(fan.span - num_taps + 1),
        steps(lane_steps(static_cast<Real>(fan.step))),
        width(fan.width),
        inverse(1 / fan.width) {}

  FanVector operator()(int j) const {
    int const base = table.base[j];
    auto const at = steps + FanVector(table.fraction[j]);
    auto const cell = at.whole() + base;
    auto const begin = at.fraction(), end = begin + width;
    // Taps that lie beside all cells for every lane are left out.
    int const first = -base - reach > 0 ? -base - reach : 0;
    int const last = num_cells - base < num_taps ? num_cells - base : num_taps;
    FanVector sum;
    for (int t = first; t < last; ++t) {
      auto const left = larger(begin, FanVector(static_cast<Real>(t)));
      auto const right = smaller(end, FanVector(static_cast<Real>(t + 1)));
      auto const share = larger(right - left, FanVector()) * inverse;
      sum = fma(squared ? share * share : share, gather(cells, (cell + t).within(-1, num_cells)), sum);
    }
    return sum;
  }
};

/// Sums over slices that lie closer than their boxes are high, seen from rows: each slice taken by the part of its box
/// in the row.
struct SteepTaps {
  Real const* cells;
  FanTable table;
  int num_cells, num_taps, reach;
  Real row_step;
  bool in_registers;  ///< all that a vector needs lies in 32 cells
  FanVector steps, step, first_left, full;

  SteepTaps(Fan const& fan, RowLine const& line, Real const* from)
      : cells(from),
        table(fan.table),
        num_cells(fan.num_cells),
        num_taps(static_cast<int>(Kokkos::ceil(fan.width)) + 1),
        reach(fan.span - num_taps + 1),
        row_step(static_cast<Real>(line.step)),
        in_registers(fan.span <= 2 * FanVector::width),
        steps(lane_steps(static_cast<Real>(fan.step))),
        step(row_step),
        first_left(line.step < 0 ? Real(1) : -line.width),
        full(line.width) {}

  FanVector operator()(int j) const {
    int const base = table.base[j];
    auto const at = steps + FanVector(table.fraction[j]);
    auto const cell = at.whole();
    // The box of tap t begins at first_left + step * (t - fraction), the row at 0.
    auto const left = minus_product(at.fraction(), step, first_left);
    int const first = -base - reach > 0 ? -base - reach : 0;
    int const last = num_cells - base < num_taps ? num_cells - base : num_taps;
    if (!in_registers) return in_turn(left, first, last, Gathered{cells, cell + base, num_cells});
    Real const* const from = cells + (base > -guard ? base : -guard);
    return in_turn(left, first, last, Picked{FanVector::load(from), FanVector::load(from + FanVector::width), cell});
  }

 private:
  struct Picked {
    FanVector low, high;
    FanVector::Index cell;
    FanVector operator()(int t) const { return pick(low, high, cell + t); }
  };
  struct Gathered {
    Real const* cells;
    FanVector::Index cell;
    int num_cells;
    FanVector operator()(int t) const { return gather(cells, (cell + t).within(-1, num_cells)); }
  };
  template <class F>
  FanVector in_turn(FanVector const& left, int first, int last, F const& value) const {
    FanVector sum;
    for (int t = first; t < last; ++t) {
      auto const begin = left + FanVector(row_step * static_cast<Real>(t));
      auto const part = smaller(begin + full, FanVector(1)) - larger(begin, FanVector());
      sum = fma(larger(part, FanVector()), value(t), sum);
    }
    return sum;
  }
};

struct SecantOne {
  FanVector operator()(FanVector const&) const { return FanVector(1); }
};

/// 1 / cos(phi)^2
struct SecantSquare {
  FanVector rise;
  SecantSquare(Real r) : rise(r) {}
  FanVector operator()(FanVector const& height) const { return fma(rise, height, FanVector(1)); }
};

struct SecantRoot {
  FanVector rise;
  SecantRoot(Real r) : rise(r) {}
  FanVector operator()(FanVector const& height) const { return square_root(fma(rise, height, FanVector(1))); }
};

/// \tparam degree 3, or 2 where the rule has no more
template <int degree = 3>
struct SecantPolynomial {
  FanVector c0, c1, c2, c3;
  SecantPolynomial(SecantRule const& rule, Real rise)
      : c0(rule.coefficients[0]),
        c1(rule.coefficients[1] * rise),
        c2(rule.coefficients[2] * (rise * rise)),
        c3(rule.coefficients[3] * (rise * rise * rise)) {}
  FanVector operator()(FanVector const& height) const {
    auto const upper = degree > 2 ? fma(c3, height, c2) : c2;
    return fma(fma(upper, height, c1), height, c0);
  }
};

/// The box of one slice, cell by cell.
struct CutBox {
  RowLine line;
  double whole;
  Real inside;

  CutBox(RowLine const& rows, int slice) : line(rows) {
    double const left = rows.left + rows.step * slice;
    whole = Kokkos::floor(left);
    inside = static_cast<Real>(left - whole);
  }
  int first_row(int num_rows) const { return whole < 0 ? 0 : whole > num_rows ? num_rows : static_cast<int>(whole); }
  int last_row(int num_rows) const {
    double const last = whole + Kokkos::ceil(inside + line.width) - 1;
    return last < 0 ? -1 : last > num_rows - 1 ? num_rows - 1 : static_cast<int>(last);
  }
  Real weight(int row) const { return overlap(inside, line.width, static_cast<Real>(row - whole)); }
  /// Rows from the one nearest to the box's middle.
  double distance(int row) const {
    double const middle = whole + static_cast<double>(inside) + 0.5 * static_cast<double>(line.width) - 0.5;
    return Kokkos::abs(row - std::rint(middle));
  }
  /// Slices from the one that the middle of `row` sees.
  double slice_distance(int row, int slice) const {
    double const seen = (row + 0.5 - 0.5 * static_cast<double>(line.width) - line.left) / line.step;
    return Kokkos::abs(slice - std::rint(seen));
  }
};

}  // namespace strata::separable
