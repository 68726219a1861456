/// From run-time numbers of lanes and taps to the kernels compiled for them.
#pragma once

#include <type_traits>

#include "core/base/error.hpp"

namespace strata {

template <int N>
using Number = std::integral_constant<int, N>;

/// Calls f(Number<n>) for n in 1..4.
template <class F>
void with_number(int n, F const& f) {
  switch (n) {
    case 1:
      return f(Number<1>());
    case 2:
      return f(Number<2>());
    case 3:
      return f(Number<3>());
    case 4:
      return f(Number<4>());
    default:
      ensure(false, "projector kernels are compiled for 1 to 4 taps and vectors, not ", n);
  }
}

/// Calls f(Number<taps>, Number<vectors>).
template <class F>
void with_taps_and_vectors(int taps, int vectors, F const& f) {
  with_number(taps, [&](auto num_taps) { with_number(vectors, [&](auto num_vectors) { f(num_taps, num_vectors); }); });
}

}  // namespace strata
