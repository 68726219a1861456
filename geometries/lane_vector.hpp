/// The lanes of a slice block as SIMD vectors: host kernels only.
#pragma once

#include <Kokkos_SIMD.hpp>

#include "core/base/types.hpp"

namespace strata {

/// SliceBlocks::lane_step consecutive lanes in registers.
class LaneVector {
 public:
  static constexpr int width = 16;

  KOKKOS_FORCEINLINE_FUNCTION LaneVector() : LaneVector(0) {}
  KOKKOS_FORCEINLINE_FUNCTION explicit LaneVector(Real value) {
    for (int i = 0; i < num_pieces; ++i) pieces_[i] = Piece(value);
  }
  KOKKOS_FORCEINLINE_FUNCTION static LaneVector load(Real const* from) {
    LaneVector result;
    for (int i = 0; i < num_pieces; ++i)
      result.pieces_[i].copy_from(from + i * piece_width, Kokkos::Experimental::simd_flag_default);
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(Real* to) const {
    for (int i = 0; i < num_pieces; ++i)
      pieces_[i].copy_to(to + i * piece_width, Kokkos::Experimental::simd_flag_default);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend LaneVector operator+(LaneVector const& a, LaneVector const& b) {
    LaneVector result;
    for (int i = 0; i < num_pieces; ++i) result.pieces_[i] = a.pieces_[i] + b.pieces_[i];
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend LaneVector operator*(LaneVector const& a, LaneVector const& b) {
    LaneVector result;
    for (int i = 0; i < num_pieces; ++i) result.pieces_[i] = a.pieces_[i] * b.pieces_[i];
    return result;
  }
  /// a * b + c
  KOKKOS_FORCEINLINE_FUNCTION friend LaneVector fma(LaneVector const& a, LaneVector const& b, LaneVector const& c) {
    LaneVector result;
    for (int i = 0; i < num_pieces; ++i) result.pieces_[i] = Kokkos::fma(a.pieces_[i], b.pieces_[i], c.pieces_[i]);
    return result;
  }

 private:
#if defined(KOKKOS_ARCH_AVX512XEON)
  using Piece = Kokkos::Experimental::simd<Real, 16>;
#elif defined(KOKKOS_ARCH_AVX2)
  using Piece = Kokkos::Experimental::simd<Real, 8>;
#elif defined(KOKKOS_ARCH_ARM_NEON)
  using Piece = Kokkos::Experimental::simd<Real, 4>;
#else
  using Piece = Kokkos::Experimental::simd<Real>;
#endif
  static constexpr int piece_width = static_cast<int>(Piece::size());
  static constexpr int num_pieces = width / piece_width;
  static_assert(num_pieces * piece_width == width);

  Piece pieces_[num_pieces];
};

/// The lanes of one slice block: NV vectors. Loops over them are unrolled so that they stay in registers.
template <int NV>
struct BlockVector {
  LaneVector part[NV];

  KOKKOS_FORCEINLINE_FUNCTION static BlockVector load(Real const* from) {
    BlockVector result;
#pragma GCC unroll 4
    for (int q = 0; q < NV; ++q) result.part[q] = LaneVector::load(from + q * LaneVector::width);
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(Real* to) const {
#pragma GCC unroll 4
    for (int q = 0; q < NV; ++q) part[q].store(to + q * LaneVector::width);
  }
  /// Adds weight * [from, from + lanes).
  KOKKOS_FORCEINLINE_FUNCTION void add(Real weight, Real const* from) {
    LaneVector const w(weight);
#pragma GCC unroll 4
    for (int q = 0; q < NV; ++q) part[q] = fma(w, LaneVector::load(from + q * LaneVector::width), part[q]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(Real weight, BlockVector const& x) {
    LaneVector const w(weight);
#pragma GCC unroll 4
    for (int q = 0; q < NV; ++q) part[q] = fma(w, x.part[q], part[q]);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend BlockVector operator+(BlockVector const& a, BlockVector const& b) {
    BlockVector result;
#pragma GCC unroll 4
    for (int q = 0; q < NV; ++q) result.part[q] = a.part[q] + b.part[q];
    return result;
  }
};

}  // namespace strata
