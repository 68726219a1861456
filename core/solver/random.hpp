/// The random numbers of a reconstruction: one generator a run, the same numbers on every platform.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace strata {

/// std::mt19937 with the bounded draws, permutations and choices of NumPy's legacy generator (`np.random.seed(s)`), so
/// that partitions and subset orders repeat those of MBIRJAX. The distributions of the standard library are not used:
/// they differ between implementations. Source: solver specification 3.2.
class LegacyRandom {
 public:
  explicit LegacyRandom(std::uint32_t seed = 0) : engine_(seed) {}

  /// Uniform integer in [0, top]: 32 bits masked to the covering power of two, drawn again until not above `top`. Draws
  /// nothing for top = 0.
  std::uint32_t bounded(std::uint32_t top);

  /// `values` in random order (Fisher-Yates from the end).
  template <class T>
  std::vector<T> permutation(std::vector<T> values) {
    for (std::size_t i = values.size(); i-- > 1;) std::swap(values[i], values[bounded(static_cast<std::uint32_t>(i))]);
    return values;
  }
  /// 0 .. n - 1 in random order.
  std::vector<int> permutation(int n);
  /// Advances the stream as a permutation of `n` values does.
  void skip_permutation(std::size_t n);

  /// `count` different positions of `values`, the values there. Draws a whole permutation of the positions even when
  /// `count` is 0. \throws Error when there are fewer than `count` values.
  template <class T>
  std::vector<T> choice(std::vector<T> const& values, int count) {
    ensure(count >= 0 && static_cast<std::size_t>(count) <= values.size(), "LegacyRandom::choice: ", count,
           " values wanted without replacement, there are ", values.size());
    std::vector<int> const positions = permutation(static_cast<int>(values.size()));
    std::vector<T> chosen(static_cast<std::size_t>(count));
    for (std::size_t t = 0; t < chosen.size(); ++t) chosen[t] = values[static_cast<std::size_t>(positions[t])];
    return chosen;
  }

  /// Everything that the next numbers depend on, as text; for checkpoints.
  std::string state() const;
  /// \throws InputError when `state` was not made by state().
  void set_state(std::string const& state);

 private:
  std::mt19937 engine_;
};

}  // namespace strata
