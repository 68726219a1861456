#include "geometries/separable_thin.hpp"

#include "geometries/separable_fan_inner.hpp"

namespace strata::separable {
namespace {

/// What the boxes of pixel `p` collect from `cells`: as TwoTaps and ThreeTaps.
template <ThinTaps taps, bool squared, int N>
KOKKOS_FORCEINLINE_FUNCTION FanVector collect(ChunkMemory<N> const& chunk, int p, Real step, FanVector const& cells) {
  auto const at = lane_steps(step) + FanVector(chunk.fan_fraction[p]);
  auto const cell = at.whole() + chunk.fan_base[p];
  FanVector const inverse(chunk.fan_inverse[p]), inside = at.fraction();
  auto const first = smaller(minus_product(inside, inverse, inverse), FanVector(1));
  auto const a = pick_or_zero(cells, cell), b = pick_or_zero(cells, cell + 1);
  if constexpr (taps == ThinTaps::two) {
    if constexpr (!squared) return fma(first, a - b, b);
    auto const second = FanVector(1) - first;
    return fma(first * first, a, (second * second) * b);
  }
  FanVector const last_start(1 - 2 * chunk.fan_inverse[p]);
  auto const last = larger(fma(inside, inverse, last_start), FanVector());
  auto const c = pick_or_zero(cells, cell + 2);
  if constexpr (!squared) return fma(last, c - b, fma(first, a - b, b));
  auto const middle = FanVector(1) - first - last;
  return fma(last * last, c, fma(first * first, a, (middle * middle) * b));
}

/// 1 / cos(phi) of the slices for any line.
struct ThinOne {
  FanVector operator()(Real) const { return FanVector(1); }
};
struct ThinSquare {
  FanVector heights;
  FanVector operator()(Real rise) const { return fma(FanVector(rise), heights, FanVector(1)); }
};
struct ThinRoot {
  FanVector heights;
  FanVector operator()(Real rise) const { return square_root(fma(FanVector(rise), heights, FanVector(1))); }
};
struct ThinPolynomial {
  FanVector heights, c0, c1, c2, c3;
  ThinPolynomial(FanVector const& squares, SecantRule const& rule)
      : heights(squares),
        c0(rule.coefficients[0]),
        c1(rule.coefficients[1]),
        c2(rule.coefficients[2]),
        c3(rule.coefficients[3]) {}
  FanVector operator()(Real rise) const {
    auto const t = FanVector(rise) * heights;
    return fma(fma(fma(c3, t, c2), t, c1), t, c0);
  }
};

template <class F>
void with_secant(SecantRule const& rule, FanVector const& heights, F const& f) {
  if (rule.kind == SecantKind::one) return f(ThinOne());
  if (rule.kind == SecantKind::polynomial) return f(ThinPolynomial(heights, rule));
  f(ThinRoot{heights});
}

/// Calls f with the number of taps of a window as a constant.
template <class F>
void with_count(int num_taps, F const& f) {
  switch (num_taps) {
    case 1:
      return f(std::integral_constant<int, 1>());
    case 2:
      return f(std::integral_constant<int, 2>());
    case 3:
      return f(std::integral_constant<int, 3>());
    default:
      return f(std::integral_constant<int, 4>());
  }
}

template <int N, int NT>
KOKKOS_FORCEINLINE_FUNCTION Real take_weights(ChunkMemory<N> const& chunk, int p, Real (&weight)[NT]) {
  Real all = 0;
  for (int t = 0; t < NT; ++t) all += weight[t] = chunk.weight[t * N + p];
  return all;
}

template <ThinTaps taps, bool squared, int NT, class Secant>
void back(CylinderShape const& shape, ThinView const& view, ChunkMemory<back_chunk> const& chunk, int count,
          Secant const& secant, Real* x) {
  for (int p = 0; p < count; ++p, x += FanVector::width) {
    Real weight[NT];
    if (take_weights(chunk, p, weight) == 0) continue;
    Real const* const from = view.sino + chunk.base[p] * view.channel_stride;
    auto sum = FanVector(weight[0]) * FanVector::load(from);
#pragma GCC unroll 4
    for (int t = 1; t < NT; ++t) sum = fma(FanVector(weight[t]), FanVector::load(from + t * view.channel_stride), sum);
    if (shape.num_rows < FanVector::width) sum = sum.first(shape.num_rows);
    auto const part = collect<taps, squared>(chunk, p, static_cast<Real>(chunk.row_step[p]), sum);
    fma(secant(chunk.rise[p]), part, FanVector::load(x)).store(x);
  }
}

template <ThinTaps taps>
void back(CylinderShape const& shape, ThinView const& view, ChunkMemory<back_chunk> const& chunk, int count,
          bool squared, Real* x) {
  auto const heights = FanVector::load(view.heights);
  with_count(chunk.shape.width, [&](auto num_taps) {
    if (squared) return back<taps, true, num_taps()>(shape, view, chunk, count, ThinSquare{heights}, x);
    with_secant(shape.secant, heights,
                [&](auto const& secant) { back<taps, false, num_taps()>(shape, view, chunk, count, secant, x); });
  });
}

/// Sums of the rows of NT channels, kept in registers while pixels share these.
template <int NT>
struct ThinBucket {
  FanVector sum[NT];
  Real* at = nullptr;
  Index channel_stride;

  explicit ThinBucket(Index stride) : channel_stride(stride) {}
  KOKKOS_FORCEINLINE_FUNCTION void move_to(Real* to) {
    if (at == to) return;
    store();
    at = to;
#pragma GCC unroll 4
    for (int t = 0; t < NT; ++t) sum[t] = FanVector::load(at + t * channel_stride);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store() const {
    if (!at) return;
#pragma GCC unroll 4
    for (int t = 0; t < NT; ++t) sum[t].store(at + t * channel_stride);
  }
};

template <ThinTaps taps, int NT, class Secant>
void forward(CylinderShape const& shape, ThinCylinders const& cylinders, ChunkMemory<forward_chunk> const& chunk,
             std::uint8_t const* order, int count, Secant const& secant, Index channel_stride, Real* sino) {
  ThinBucket<NT> bucket(channel_stride);
  CylinderSource const& source = cylinders.source;
  for (int i = 0; i < count; ++i) {
    int const p = order[i];
    Real weight[NT];
    if (take_weights(chunk, p, weight) == 0) continue;
    bucket.move_to(sino + chunk.base[p] * channel_stride);
    Index const position = cylinders.position ? cylinders.position[p] : cylinders.first + p;
    if (!source.in_order) source.copy(position, cylinders.memory);
    auto x = FanVector::load(source.in_order ? source.at(0, position) : cylinders.memory);
    if (shape.num_slices < FanVector::width) x = x.first(shape.num_slices);
    auto const part = collect<taps, false>(chunk, p, static_cast<Real>(chunk.fan_step[p]), secant(chunk.rise[p]) * x);
#pragma GCC unroll 4
    for (int t = 0; t < NT; ++t) bucket.sum[t] = fma(FanVector(weight[t]), part, bucket.sum[t]);
  }
  bucket.store();
}

}  // namespace

void back_thin(CylinderShape const& shape, ThinView const& view, ChunkMemory<back_chunk> const& chunk, int count,
               bool squared, Real* x) {
  if (chunk.thin == ThinTaps::two) return back<ThinTaps::two>(shape, view, chunk, count, squared, x);
  back<ThinTaps::three>(shape, view, chunk, count, squared, x);
}

void forward_thin(CylinderShape const& shape, ThinCylinders const& cylinders, ChunkMemory<forward_chunk> const& chunk,
                  std::uint8_t const* order, int count, Real const* heights, Index channel_stride, Real* sino) {
  with_count(chunk.shape.width, [&](auto num_taps) {
    with_secant(shape.secant, FanVector::load(heights), [&](auto const& secant) {
      if (chunk.thin == ThinTaps::two)
        return forward<ThinTaps::two, num_taps()>(shape, cylinders, chunk, order, count, secant, channel_stride, sino);
      forward<ThinTaps::three, num_taps()>(shape, cylinders, chunk, order, count, secant, channel_stride, sino);
    });
  });
}

}  // namespace strata::separable
