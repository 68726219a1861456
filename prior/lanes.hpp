/// Vectors of 16 lanes on the host, written with the vector extension that GCC and Clang share. Operations act lane by
/// lane and are lowered to whatever the processor has, with the same bits. Host translation units only.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__clang__) && defined(__AVX512F__)
#include <immintrin.h>
#endif

// Only inlined functions take vectors, so their calling convention does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
#define STRATA_INLINE [[gnu::always_inline]] inline

namespace strata::lanes {

inline constexpr int width = 16;
using Float = float __attribute__((vector_size(4 * width)));
using Int = std::int32_t __attribute__((vector_size(4 * width)));

STRATA_INLINE Float load(float const* from) {
  Float v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
STRATA_INLINE void store(float* to, Float v) {
  std::memcpy(to, &v, sizeof(v));
}
STRATA_INLINE Float broadcast(float value) {
  return Float{} + value;
}
STRATA_INLINE Int bits(Float v) {
  return reinterpret_cast<Int>(v);
}
STRATA_INLINE Float from_bits(Int v) {
  return reinterpret_cast<Float>(v);
}
STRATA_INLINE Int count() {
  return Int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

/// All bits set in lanes below `real`, none in the others.
STRATA_INLINE Int mask_below(int real) {
  return count() < (Int{} + real);
}
STRATA_INLINE Float select(Int mask, Float yes, Float no) {
  return mask ? yes : no;
}

/// {previous[15], current[0], ..., current[14]}
STRATA_INLINE Float shift_up(Float previous, Float current) {
  return __builtin_shufflevector(previous, current, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
}
/// {current[1], ..., current[15], next[0]}
STRATA_INLINE Float shift_down(Float current, Float next) {
  return __builtin_shufflevector(current, next, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
}

/// table[index mod 16], lane by lane.
STRATA_INLINE Float pick(Float table, Int index) {
#if !defined(__clang__)
  return __builtin_shuffle(table, index);
#elif defined(__AVX512F__)
  return reinterpret_cast<Float>(
      _mm512_permutexvar_ps(reinterpret_cast<__m512i>(index), reinterpret_cast<__m512>(table)));
#else
  Float v{};
  for (int lane = 0; lane < width; ++lane) v[lane] = table[index[lane] & (width - 1)];
  return v;
#endif
}

}  // namespace strata::lanes
