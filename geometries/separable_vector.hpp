/// Sixteen numbers and the operations that fans are made of: host kernels only. Beside arithmetic that is the choice of
/// sixteen out of 32 consecutive numbers, which Kokkos::simd does not have.
#pragma once

#include "core/base/types.hpp"
#include "geometries/channel_footprint.hpp"
// STRATA_PORTABLE_FANS: the portable form also where there is AVX-512, to test it.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && !defined(STRATA_PORTABLE_FANS)
// GCC bug 105593: false alarms about what the header leaves undefined on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#define STRATA_FAN_AVX512
#endif

namespace strata::separable {

#ifdef STRATA_FAN_AVX512

class FanVector {
 public:
  static constexpr int width = 16;

  /// Places in an array, whole numbers.
  struct Index {
    __m512i value;
    friend Index operator+(Index a, int b) { return {_mm512_add_epi32(a.value, _mm512_set1_epi32(b))}; }
    /// Brought into [low, high].
    Index within(int low, int high) const {
      return {_mm512_max_epi32(_mm512_set1_epi32(low), _mm512_min_epi32(_mm512_set1_epi32(high), value))};
    }
  };

  FanVector() : v_(_mm512_setzero_ps()) {}
  explicit FanVector(Real value) : v_(_mm512_set1_ps(value)) {}
  static FanVector load(Real const* from) { return FanVector(_mm512_loadu_ps(from)); }
  void store(Real* to) const { _mm512_storeu_ps(to, v_); }
  /// Past the caches, to a multiple of 64 bytes: for what is read again much later. end_streams() before others read
  /// it.
  void stream(Real* to) const { _mm512_stream_ps(to, v_); }
  static void end_streams() { _mm_sfence(); }
  static FanVector lanes() { return FanVector(_mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)); }

  friend FanVector operator+(FanVector a, FanVector b) { return FanVector(_mm512_add_ps(a.v_, b.v_)); }
  friend FanVector operator-(FanVector a, FanVector b) { return FanVector(_mm512_sub_ps(a.v_, b.v_)); }
  friend FanVector operator*(FanVector a, FanVector b) { return FanVector(_mm512_mul_ps(a.v_, b.v_)); }
  /// a * b + c
  friend FanVector fma(FanVector a, FanVector b, FanVector c) { return FanVector(_mm512_fmadd_ps(a.v_, b.v_, c.v_)); }
  /// c - a * b
  friend FanVector minus_product(FanVector a, FanVector b, FanVector c) {
    return FanVector(_mm512_fnmadd_ps(a.v_, b.v_, c.v_));
  }
  friend FanVector smaller(FanVector a, FanVector b) { return FanVector(_mm512_min_ps(a.v_, b.v_)); }
  friend FanVector larger(FanVector a, FanVector b) { return FanVector(_mm512_max_ps(a.v_, b.v_)); }
  friend FanVector square_root(FanVector a) { return FanVector(_mm512_sqrt_ps(a.v_)); }
  /// The same number, in a register: GCC loads operands of several fma's again for each.
  FanVector kept() const {
    auto value = v_;
    asm("" : "+v"(value));
    return FanVector(value);
  }
  /// a - floor(a)
  FanVector fraction() const { return FanVector(_mm512_reduce_ps(v_, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)); }
  /// Whole part; values must not be negative.
  Index whole() const { return {_mm512_cvttps_epi32(v_)}; }
  /// Lanes from `count` on become 0, whatever they hold.
  FanVector first(int count) const {
    return FanVector(_mm512_maskz_mov_ps(static_cast<__mmask16>((1U << count) - 1U), v_));
  }
  /// Numbers `at` of low and high, one after the other; places in [0, 32).
  friend FanVector pick(FanVector low, FanVector high, Index at) {
    return FanVector(_mm512_permutex2var_ps(low.v_, at.value, high.v_));
  }
  /// Numbers `at` of `from`, 0 where there are none.
  friend FanVector pick_or_zero(FanVector from, Index at) {
    auto const inside = _mm512_cmplt_epu32_mask(at.value, _mm512_set1_epi32(width));
    return FanVector(_mm512_maskz_permutexvar_ps(inside, at.value, from.v_));
  }
  friend FanVector gather(Real const* from, Index at) { return FanVector(_mm512_i32gather_ps(at.value, from, 4)); }

 private:
  explicit FanVector(__m512 v) : v_(v) {}
  __m512 v_;
};

/// For j in [begin, end): the cell [c, c + 1) that holds first + stride * j, brought into [low, high], and the distance
/// from c. May write up to 7 entries more.
inline void place_on_cells(double first, double stride, int begin, int end, double low, double high, int* cell,
                           Real* distance) {
  auto const step = _mm512_set1_pd(stride), least = _mm512_set1_pd(low), most = _mm512_set1_pd(high);
  auto const lanes = _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7);
  for (int j = begin; j < end; j += 8) {
    auto const index = _mm512_add_pd(_mm512_set1_pd(j), lanes);
    auto const at = _mm512_fmadd_pd(step, index, _mm512_set1_pd(first));
    auto const whole = _mm512_roundscale_pd(at, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    auto const within = _mm512_max_pd(least, _mm512_min_pd(most, whole));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(cell + j), _mm512_cvttpd_epi32(within));
    _mm256_storeu_ps(distance + j, _mm512_cvtpd_ps(_mm512_sub_pd(at, whole)));
  }
}

#else

class FanVector {
 public:
  static constexpr int width = 16;

  struct Index {
    int value[width];
    friend Index operator+(Index a, int b) {
      for (int& place : a.value) place += b;
      return a;
    }
    Index within(int low, int high) const {
      Index result;
      for (int i = 0; i < width; ++i) {
        int const below = value[i] < high ? value[i] : high;
        result.value[i] = below > low ? below : low;
      }
      return result;
    }
  };

  FanVector() : FanVector(0) {}
  explicit FanVector(Real value) {
    for (Real& x : v_) x = value;
  }
  static FanVector load(Real const* from) {
    FanVector result;
    for (int i = 0; i < width; ++i) result.v_[i] = from[i];
    return result;
  }
  void store(Real* to) const {
    for (int i = 0; i < width; ++i) to[i] = v_[i];
  }
  void stream(Real* to) const { store(to); }
  static void end_streams() {}
  static FanVector lanes() {
    return make([](int i) { return static_cast<Real>(i); });
  }

  friend FanVector operator+(FanVector const& a, FanVector const& b) {
    return make([&](int i) { return a.v_[i] + b.v_[i]; });
  }
  friend FanVector operator-(FanVector const& a, FanVector const& b) {
    return make([&](int i) { return a.v_[i] - b.v_[i]; });
  }
  friend FanVector operator*(FanVector const& a, FanVector const& b) {
    return make([&](int i) { return a.v_[i] * b.v_[i]; });
  }
  friend FanVector fma(FanVector const& a, FanVector const& b, FanVector const& c) {
    return make([&](int i) { return multiply_add(a.v_[i], b.v_[i], c.v_[i]); });
  }
  friend FanVector minus_product(FanVector const& a, FanVector const& b, FanVector const& c) {
    return make([&](int i) { return multiply_add(-a.v_[i], b.v_[i], c.v_[i]); });
  }
  friend FanVector smaller(FanVector const& a, FanVector const& b) {
    return make([&](int i) { return a.v_[i] < b.v_[i] ? a.v_[i] : b.v_[i]; });
  }
  friend FanVector larger(FanVector const& a, FanVector const& b) {
    return make([&](int i) { return a.v_[i] > b.v_[i] ? a.v_[i] : b.v_[i]; });
  }
  friend FanVector square_root(FanVector const& a) {
    return make([&](int i) { return Kokkos::sqrt(a.v_[i]); });
  }
  FanVector const& kept() const { return *this; }
  FanVector fraction() const {
    return make([&](int i) { return v_[i] - Kokkos::floor(v_[i]); });
  }
  Index whole() const {
    Index result;
    for (int i = 0; i < width; ++i) result.value[i] = static_cast<int>(v_[i]);
    return result;
  }
  FanVector first(int count) const {
    return make([&](int i) { return i < count ? v_[i] : Real(0); });
  }
  friend FanVector pick(FanVector const& low, FanVector const& high, Index const& at) {
    return make([&](int i) { return at.value[i] < width ? low.v_[at.value[i]] : high.v_[at.value[i] - width]; });
  }
  friend FanVector pick_or_zero(FanVector const& from, Index const& at) {
    return make([&](int i) { return at.value[i] >= 0 && at.value[i] < width ? from.v_[at.value[i]] : Real(0); });
  }
  friend FanVector gather(Real const* from, Index const& at) {
    return make([&](int i) { return from[at.value[i]]; });
  }

 private:
  template <class F>
  static FanVector make(F const& f) {
    FanVector result;
    for (int i = 0; i < width; ++i) result.v_[i] = f(i);
    return result;
  }
  alignas(64) Real v_[width];
};

inline void place_on_cells(double first, double stride, int begin, int end, double low, double high,
                           int* __restrict cell, Real* __restrict distance) {
#pragma omp simd
  for (int j = begin; j < end; ++j) {
    double const at = first + stride * j, whole = Kokkos::floor(at);
    double const below = whole < high ? whole : high;
    cell[j] = static_cast<int>(below > low ? below : low);
    distance[j] = static_cast<Real>(at - whole);
  }
}

#endif

/// Vectors that hold `size` numbers.
constexpr int vectors_of(int size) {
  return (size + FanVector::width - 1) / FanVector::width;
}

}  // namespace strata::separable
