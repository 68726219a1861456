/// Fetching of detector rows ahead of their use. Host only.
#pragma once

#include "geometries/separable_vector.hpp"

namespace strata::separable {

/// Fetches stretches of memory into the second-level cache, in equal shares a step.
class Prefetcher {
 public:
  static constexpr int max_stretches = 8;

  void add(Real const* from, Index size) {
    if (size <= 0) return;
    stretches_[num_stretches_++] = {from, from + size};
    lines_ += (size + FanVector::width - 1) / FanVector::width;
  }
  /// All stretches are fetched in `num_steps` steps.
  void share(int num_steps) { per_step_ = static_cast<int>((lines_ + num_steps - 1) / num_steps); }
  KOKKOS_FORCEINLINE_FUNCTION void step() {
    for (int i = 0; i < per_step_ && current_ < num_stretches_; ++i) {
      auto& [at, end] = stretches_[current_];
      __builtin_prefetch(at, 0, 2);
      at += FanVector::width;
      if (at >= end) ++current_;
    }
  }

 private:
  struct Stretch {
    Real const* at;
    Real const* end;
  };
  Stretch stretches_[max_stretches];
  Index lines_ = 0;
  int num_stretches_ = 0;
  int per_step_ = 0;
  int current_ = 0;
};

/// Fetches views of two arrays while a sweep goes through them, so far ahead that the kernel need not wait: what is
/// asked for shortly before its use comes in bursts.
class ViewPrefetcher {
 public:
  /// A view of one array, `size` values, or null, and the view that follows, or null.
  void add(Real const* view, Real const* next, Index size) {
    constexpr Index most = Index(1) << 16;  // that of both arrays stays in the second-level cache
    Index const lead = size < most ? size : most;
    if (!view || num_arrays_ == 2) return;
    auto& array = arrays_[num_arrays_++];
    array.add(view + lead, size - lead);
    if (next) array.add(next, lead);
  }
  void share(int num_steps) {
    for (auto& array : arrays_) array.share(num_steps);
  }
  KOKKOS_FORCEINLINE_FUNCTION void step() {
    for (auto& array : arrays_) array.step();
  }

 private:
  Prefetcher arrays_[2];
  int num_arrays_ = 0;
};

}  // namespace strata::separable
