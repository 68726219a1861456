#include "geometries/separable_fan.hpp"

#include <type_traits>

#include "geometries/separable_fan_inner.hpp"

namespace strata::separable {
namespace {

/// Calls f(taps) with what the path of `fan` needs.
template <bool squared, class F>
void with_taps(Fan const& fan, Real const* h, F const& f) {
  switch (fan.path) {
    case FanPath::two_taps:
      return f(TwoTaps<squared>(fan, h));
    case FanPath::three_taps:
      return f(ThreeTaps<squared>(fan, h));
    default:
      return f(WideTaps<squared>(fan, h));
  }
}

/// One view's part of x.
template <class Taps, class Secant>
struct SlicePart {
  Taps taps;
  Secant secant;
  Real const* heights;
  FanVector add_to(FanVector const& x, int j) const {
    return fma(secant(FanVector::load(heights + j * FanVector::width).kept()), taps(j), x);
  }
};

template <bool squared, class Secant>
void back_slices(Fan const& fan, Secant const& secant, JoinedRows const& joined) {
  with_taps<squared>(fan, joined.rows + guard, [&](auto const& taps) {
    SlicePart<std::decay_t<decltype(taps)>, Secant> const part{taps, secant, joined.heights};
    for (int j = joined.vectors.begin; j < joined.vectors.end; ++j) {
      Real* const to = joined.x + j * FanVector::width;
      part.add_to(FanVector::load(to), j).store(to);
    }
  });
}

/// As back_slices() for the first view, then the second; both have the path of `a` and the same vectors.
template <class Taps, class Secant>
void back_two_views(Fan const& a, Fan const& b, Secant const& secant_a, Secant const& secant_b, JoinedRows const& first,
                    JoinedRows const& second) {
  SlicePart<Taps, Secant> const part_a{Taps(a, first.rows + guard), secant_a, first.heights};
  SlicePart<Taps, Secant> const part_b{Taps(b, second.rows + guard), secant_b, second.heights};
  for (int j = first.vectors.begin; j < first.vectors.end; ++j) {
    Real* const to = first.x + j * FanVector::width;
    part_b.add_to(part_a.add_to(FanVector::load(to), j), j).store(to);
  }
}

bool is_limited(CylinderShape const& shape, RowLine const& line) {
  return line.width > 2 * static_cast<Real>(shape.limits.rows);
}

/// As spread_rows(), slice by slice: where limits cut a box.
void back_limited(CylinderShape const& shape, JoinedRows const& joined, bool squared) {
  int const end = joined.vectors.end * FanVector::width;
  for (int k = joined.vectors.begin * FanVector::width; k < end && k < shape.num_slices; ++k) {
    CutBox const box(joined.line, k);
    Real sum = 0;
    for (int m = box.first_row(shape.num_rows); m <= box.last_row(shape.num_rows); ++m) {
      if (box.distance(m) > shape.limits.rows) continue;
      Real const weight = box.weight(m) / joined.line.width;
      sum += (squared ? weight * weight : weight) * joined.rows[guard + m];
    }
    Real const t = joined.line.rise * joined.heights[k];
    joined.x[k] += (squared ? 1 + t : Kokkos::sqrt(1 + t)) * sum;
  }
}

/// rows[m] = Vert cells, slice by slice: where limits cut a box, or boxes do not join.
void forward_limited(CylinderShape const& shape, RowLine const& line, Real const* cells, Real* rows) {
  for (int m = 0; m < vectors_of(shape.num_rows) * FanVector::width; ++m) rows[m] = 0;
  for (int k = 0; k < shape.num_slices; ++k) {
    CutBox const box(line, k);
    for (int m = box.first_row(shape.num_rows); m <= box.last_row(shape.num_rows); ++m)
      if (shape.limits.slices == TapLimits::none || box.slice_distance(m, k) <= shape.limits.slices)
        rows[m] += box.weight(m) * cells[k];
  }
}

template <class Secant>
void scale_slices(CylinderSource const& source, Index position, Secant const& secant, Real const* heights,
                  int num_slices, Range vectors, Real* memory, Real* cells) {
  int const per_block = source.in_order ? source.blocks.lanes / FanVector::width : vectors.end;
  if (!source.in_order) source.copy(position, memory);
  int const whole = num_slices / FanVector::width;
  for (int block = 0, first = 0; first < vectors.end; ++block, first += per_block) {
    int const last = first + per_block;
    int const begin = first > vectors.begin ? first : vectors.begin, end = last < vectors.end ? last : vectors.end;
    Real const* const from = (source.in_order ? source.at(block, position) : memory) - first * FanVector::width;
    for (int j = begin; j < end; ++j) {
      auto value = FanVector::load(from + j * FanVector::width);
      if (j == whole) value = value.first(num_slices % FanVector::width);
      (secant(FanVector::load(heights + j * FanVector::width).kept()) * value).store(cells + j * FanVector::width);
    }
  }
}

/// NV vectors of NT channels in registers, which move on with the entries: a channel is read and written once while
/// these come one after the other.
template <int NT, int NV>
struct ChannelWindow {
  FanVector sum[NT][NV];
  Real* at;
  Index channel_stride;

  ChannelWindow(Real* first, Index stride) : at(first), channel_stride(stride) { load<0>(); }
  KOKKOS_FORCEINLINE_FUNCTION void move(int channels) {
    if (channels == 1) {
      store<1>();
#pragma GCC unroll 4
      for (int t = 0; t + 1 < NT; ++t)
#pragma GCC unroll 4
        for (int q = 0; q < NV; ++q) sum[t][q] = sum[t + 1][q];
      at += channel_stride;
      load<NT - 1>();
    } else {
      store<NT>();
      at += channels * channel_stride;
      load<0>();
    }
  }
  template <int count>
  KOKKOS_FORCEINLINE_FUNCTION void store() const {
#pragma GCC unroll 4
    for (int t = 0; t < count; ++t)
#pragma GCC unroll 4
      for (int q = 0; q < NV; ++q) sum[t][q].store(at + t * channel_stride + q * FanVector::width);
  }

 private:
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION void load() {
#pragma GCC unroll 4
    for (int t = first; t < NT; ++t)
#pragma GCC unroll 4
      for (int q = 0; q < NV; ++q) sum[t][q] = FanVector::load(at + t * channel_stride + q * FanVector::width);
  }
};

template <int NT, int NV>
KOKKOS_FORCEINLINE_FUNCTION void add_vectors(ForwardEntry const* entries, int count, Index channel_stride, int j,
                                             Real* sino) {
  int channel = entries[0].channel;
  ChannelWindow<NT, NV> window(sino + channel * channel_stride + j * FanVector::width, channel_stride);
  for (int e = 0; e < count; ++e) {
    ForwardEntry const& entry = entries[e];
    if (entry.channel != channel) window.move(entry.channel - channel);
    channel = entry.channel;
    auto const add = [&](auto const& value) {
#pragma GCC unroll 4
      for (int q = 0; q < NV; ++q) {
        auto const u = value(j + q);
#pragma GCC unroll 4
        for (int t = 0; t < NT; ++t) window.sum[t][q] = fma(FanVector(entry.weight[t]), u, window.sum[t][q]);
      }
    };
    if (entry.path == FanPath::two_taps)
      add(TwoTaps<false>(entry));
    else if (entry.path == FanPath::three_taps)
      add(ThreeTaps<false>(entry));
    else
      add([&](int i) { return FanVector::load(entry.cells + i * FanVector::width); });
  }
  window.template store<NT>();
}

template <int NT>
void add_entries(ForwardEntry const* entries, int count, Index channel_stride, Range vectors, Real* sino) {
  constexpr int most = NT < 4 ? 4 : 3;
  int j = vectors.begin;
  for (; j + most <= vectors.end; j += most) add_vectors<NT, most>(entries, count, channel_stride, j, sino);
  for (; j < vectors.end; ++j) add_vectors<NT, 1>(entries, count, channel_stride, j, sino);
}

}  // namespace

void CylinderSource::copy(Index position, Real* slices) const {
  for (int b = 0; b < blocks.num_blocks(); ++b) {
    Range const own = blocks.slices(b);
    Real const* const from = at(b, position);
    for (int l = 0; l < own.size(); ++l) slices[own.begin + l] = from[l];
  }
}

void join_rows(CylinderShape const& shape, RowTaps const& taps, JoinedRows const& joined) {
  RowLine const& line = joined.line;
  bool const limited = is_limited(shape, line);
  if (!limited) Fan(line.left, line.step, line.width, shape.num_rows, joined.table).place(joined.vectors);
  join_channels(taps, limited ? Range{0, vectors_of(shape.num_rows)} : joined.row_vectors, shape.num_rows,
                joined.rows + guard);
}

namespace {

void spread_one(CylinderShape const& shape, JoinedRows const& joined, bool squared) {
  RowLine const& line = joined.line;
  if (is_limited(shape, line)) return back_limited(shape, joined, squared);
  Fan const fan(line.left, line.step, line.width, shape.num_rows, joined.table);
  if (squared) return back_slices<true>(fan, SecantSquare(line.rise), joined);
  if (shape.secant.kind == SecantKind::one) return back_slices<false>(fan, SecantOne(), joined);
  if (shape.secant.kind == SecantKind::polynomial)
    return back_slices<false>(fan, SecantPolynomial<>(shape.secant, line.rise), joined);
  back_slices<false>(fan, SecantRoot(line.rise), joined);
}

template <class Taps>
void spread_two(CylinderShape const& shape, Fan const& a, Fan const& b, JoinedRows const& first,
                JoinedRows const& second) {
  Real const rise_a = first.line.rise, rise_b = second.line.rise;
  if (shape.secant.kind == SecantKind::one) return back_two_views<Taps>(a, b, SecantOne(), SecantOne(), first, second);
  if (shape.secant.kind == SecantKind::polynomial)
    return back_two_views<Taps>(a, b, SecantPolynomial<>(shape.secant, rise_a),
                                SecantPolynomial<>(shape.secant, rise_b), first, second);
  back_two_views<Taps>(a, b, SecantRoot(rise_a), SecantRoot(rise_b), first, second);
}

}  // namespace

void spread_rows(CylinderShape const& shape, JoinedRows const& first, JoinedRows const& second, bool squared) {
  bool const both = first.x && second.x && first.vectors == second.vectors && !squared;
  if (both && !is_limited(shape, first.line) && !is_limited(shape, second.line)) {
    Fan const a(first.line.left, first.line.step, first.line.width, shape.num_rows, first.table);
    Fan const b(second.line.left, second.line.step, second.line.width, shape.num_rows, second.table);
    if (a.path == b.path && a.path == FanPath::two_taps) return spread_two<TwoTaps<false>>(shape, a, b, first, second);
    if (a.path == b.path && a.path == FanPath::three_taps)
      return spread_two<ThreeTaps<false>>(shape, a, b, first, second);
  }
  if (first.x) spread_one(shape, first, squared);
  if (second.x) spread_one(shape, second, squared);
}

void prepare_entry(CylinderShape const& shape, CylinderSource const& source, Index position, RowBoxes const& boxes,
                   Real const* heights, EntryMemory const& memory, ForwardEntry& entry) {
  RowLine const& line = boxes.line;
  bool const joined = line.step > 0 && static_cast<Real>(line.step) == line.width;
  bool const flat = Kokkos::abs(line.step) <= steepest_step && !joined;
  bool const limited = flat || 1 > 2 * static_cast<Real>(shape.limits.slices) * line.width ||
                       (!joined && shape.limits.slices != TapLimits::none);
  Fan const fan(boxes.left, boxes.step, boxes.width, shape.num_slices, memory.table);
  fan.place(entry.vectors);
  Real* const cells = memory.cells + guard;
  Range const touched = limited ? Range{0, vectors_of(shape.num_slices)} : boxes.slice_vectors;
  auto const scale = [&](auto const& secant) {
    scale_slices(source, position, secant, heights, shape.num_slices, touched, memory.slices, cells);
  };
  if (shape.secant.kind == SecantKind::one)
    scale(SecantOne());
  else if (shape.secant.kind == SecantKind::root)
    scale(SecantRoot(line.rise));
  else if (shape.secant.degree > 2)
    scale(SecantPolynomial<3>(shape.secant, line.rise));
  else
    scale(SecantPolynomial<2>(shape.secant, line.rise));

  entry.path = limited || !joined ? FanPath::ready : fan.path;
  entry.cells = cells;
  entry.table = memory.table;
  entry.step = static_cast<Real>(boxes.step);
  entry.inverse_width = static_cast<Real>(line.step);
  auto const store = [&](auto const& value) {
    for (int j = entry.vectors.begin; j < entry.vectors.end; ++j) value(j).store(memory.rows + j * FanVector::width);
    entry.path = FanPath::ready;
  };
  if (limited)
    forward_limited(shape, line, cells, memory.rows);
  else if (!joined)
    store(SteepTaps(fan, line, cells));
  else if (fan.path == FanPath::wide)
    store(WideTaps<false>(fan, cells));
  if (entry.path == FanPath::ready) entry.cells = memory.rows;
}

void add_entries(ForwardEntry const* entries, int count, int num_taps, Index channel_stride, Real* sino) {
  auto const add = [&](int from, int number, Range reached) {
    switch (num_taps) {
      case 1:
        return add_entries<1>(entries + from, number, channel_stride, reached, sino);
      case 2:
        return add_entries<2>(entries + from, number, channel_stride, reached, sino);
      case 3:
        return add_entries<3>(entries + from, number, channel_stride, reached, sino);
      default:
        return add_entries<4>(entries + from, number, channel_stride, reached, sino);
    }
  };
  for (int begin = 0, end = 0; begin < count; begin = end) {  // reaches differ near the ends of cylinder or detector
    while (end < count && entries[end].vectors == entries[begin].vectors) ++end;
    add(begin, end - begin, entries[begin].vectors);
  }
}

}  // namespace strata::separable
