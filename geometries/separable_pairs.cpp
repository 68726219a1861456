#include "geometries/separable_pairs.hpp"

#include "geometries/separable_fan_inner.hpp"

namespace strata::separable {
namespace {

/// Memory of a view's pixel between the two halves.
struct Line {
  Real* rows;  ///< [guard + rows + guard], guards are 0
  FanTable table;
};

/// First half: joins the channels that pixel `p` sees, and places its boxes.
KOKKOS_FORCEINLINE_FUNCTION void join(CylinderShape const& shape, PairView const& view, int p, double most,
                                      Line const& line) {
  BackChunk const& chunk = *view.chunk;
  Range const reach = chunk.reach(p);
  double const step = chunk.row_step[p];
  double const first = chunk.row_left[p] + (step < 0 ? (FanVector::width - 1) * step : 0);
  place_on_cells(first, FanVector::width * step, reach.begin, reach.end, -guard, most, line.table.base,
                 line.table.fraction);
  RowTaps taps{view.sino + chunk.base[p] * view.channel_stride, view.channel_stride, chunk.shape.width, {}};
  for (int t = 0; t < taps.count; ++t) taps.weight[t] = chunk.weight[t * back_chunk + p];
  join_channels(taps, chunk.cells(p), shape.num_rows, line.rows + guard);
}

template <class Taps>
KOKKOS_FORCEINLINE_FUNCTION Taps taps_of(BackChunk const& chunk, int p, Line const& line) {
  return Taps(line.rows + guard, line.table, static_cast<Real>(chunk.row_step[p]), chunk.fan_inverse[p]);
}

/// Second half, of view a alone unless `two`.
template <class Taps, bool two, class Secant>
KOKKOS_FORCEINLINE_FUNCTION void spread(PairView const& a, PairView const& b, int p, Line const& line_a,
                                        Line const& line_b, Secant const& secant, Real* __restrict x) {
  Taps const taps_a = taps_of<Taps>(*a.chunk, p, line_a), taps_b = taps_of<Taps>(*b.chunk, p, line_b);
  auto const secant_a = secant(a.chunk->rise[p]), secant_b = secant(b.chunk->rise[p]);
  Range const reach = a.chunk->reach(p);
  Real const* const heights_a = a.heights;
  Real const* const heights_b = b.heights;
  for (int j = reach.begin; j < reach.end; ++j) {
    Index const at = j * FanVector::width;
    auto sum = FanVector::load(x + at);
    sum = fma(secant_a(FanVector::load(heights_a + at).kept()), taps_a(j), sum);
    if constexpr (two) sum = fma(secant_b(FanVector::load(heights_b + at).kept()), taps_b(j), sum);
    sum.store(x + at);
  }
}

template <class Taps, bool two, class Secant>
void back(CylinderShape const& shape, PairView const& a, PairView const& b, Range pixels, Slot const& slot,
          Secant const& secant, Index stride, Real* x) {
  Line const lines[2][2] = {{{slot.lines[0], slot.entries[0].table}, {slot.lines[1], slot.entries[1].table}},
                            {{slot.lines[2], slot.entries[2].table}, {slot.lines[3], slot.entries[3].table}}};
  double const most = vectors_of(shape.num_rows) * FanVector::width;
  // What a first half stores is read one pixel later.
  for (int p = pixels.begin; p <= pixels.end; ++p) {
    if (p < pixels.end) {
      auto const& next = lines[p % 2];
      join(shape, a, p, most, next[0]);
      if (two) join(shape, b, p, most, next[1]);
    }
    if (p == pixels.begin) continue;
    auto const& joined = lines[(p - 1) % 2];
    spread<Taps, two>(a, b, p - 1, joined[0], joined[1], secant, x + (p - 1) * stride);
  }
}

template <class Taps>
void back(CylinderShape const& shape, PairView const& a, PairView const* b, Range pixels, Slot const& slot,
          Index stride, Real* x) {
  SecantRule const rule = shape.secant;
  auto const run = [&](auto const& secant) {
    if (b) return back<Taps, true>(shape, a, *b, pixels, slot, secant, stride, x);
    back<Taps, false>(shape, a, a, pixels, slot, secant, stride, x);
  };
  if (rule.kind == SecantKind::one) return run([](Real) { return SecantOne(); });
  if (rule.kind == SecantKind::root) return run([](Real rise) { return SecantRoot(rise); });
  if (rule.degree > 2) return run([rule](Real rise) { return SecantPolynomial<3>(rule, rise); });
  run([rule](Real rise) { return SecantPolynomial<2>(rule, rise); });
}

}  // namespace

bool pairs_up(BackChunk const& a, BackChunk const& b) {
  return a.path.taps != FanPath::wide && b.path.taps != FanPath::wide && a.shape.num_windows == 1 &&
         b.shape.num_windows == 1;
}

void match_reach(CylinderShape const& shape, int count, BackChunk& a, BackChunk& b) {
  Real all[back_chunk];
  for (int p = 0; p < count; ++p) all[p] = 0;
  for (BackChunk const* chunk : {&a, &b})
    for (int t = 0; t < chunk->shape.width; ++t) {
      Real const* __restrict const weight = chunk->weight + t * back_chunk;
#pragma omp simd
      for (int p = 0; p < count; ++p) all[p] += weight[p];
    }
  int differ = 0;
#pragma omp simd reduction(+ : differ)
  for (int p = 0; p < count; ++p) {
    bool const none_a = a.reach_begin[p] >= a.reach_end[p], none_b = b.reach_begin[p] >= b.reach_end[p];
    int const begin_a = none_a ? b.reach_begin[p] : a.reach_begin[p], end_a = none_a ? b.reach_end[p] : a.reach_end[p];
    int const begin_b = none_b ? begin_a : b.reach_begin[p], end_b = none_b ? end_a : b.reach_end[p];
    int const begin = begin_a < begin_b ? begin_a : begin_b, end = end_a > end_b ? end_a : end_b;
    int const used = all[p] != 0 ? end : begin;
    differ += a.reach_begin[p] != begin || a.reach_end[p] != used || b.reach_begin[p] != begin || b.reach_end[p] != used
                  ? 1
                  : 0;
    a.reach_begin[p] = b.reach_begin[p] = begin;
    a.reach_end[p] = b.reach_end[p] = used;
  }
  if (differ == 0) return;
  for (BackChunk* chunk : {&a, &b}) find_cells(shape, count, chunk->boxes(), chunk->fans());
}

void back_pair(CylinderShape const& shape, PairView const& a, PairView const* b, Range pixels, Slot const& slot,
               Index stride, Real* x) {
  ChunkPath const path_a = a.chunk->path, path_b = b ? b->chunk->path : path_a;
  // Two taps give the bits of three taps of which the last weighs nothing.
  if (path_a.taps == FanPath::two_taps && path_b.taps == FanPath::two_taps)
    return back<TwoTaps<false>>(shape, a, b, pixels, slot, stride, x);
  if (path_a.beyond_cell && path_b.beyond_cell)
    return back<ThreeTaps<false, true>>(shape, a, b, pixels, slot, stride, x);
  back<ThreeTaps<false>>(shape, a, b, pixels, slot, stride, x);
}

}  // namespace strata::separable
