#include "core/solver/random.hpp"

#include <bit>
#include <numeric>
#include <sstream>

namespace strata {

std::uint32_t LegacyRandom::bounded(std::uint32_t top) {
  if (top == 0) return 0;
  std::uint32_t const mask = ~std::uint32_t{0} >> std::countl_zero(top);
  std::uint32_t value;
  do {
    value = static_cast<std::uint32_t>(engine_()) & mask;
  } while (value > top);
  return value;
}

std::vector<int> LegacyRandom::permutation(int n) {
  std::vector<int> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return permutation(std::move(values));
}

void LegacyRandom::skip_permutation(std::size_t n) {
  for (std::size_t i = n; i-- > 1;) bounded(static_cast<std::uint32_t>(i));
}

std::string LegacyRandom::state() const {
  std::ostringstream stream;
  stream << engine_;
  return stream.str();
}

void LegacyRandom::set_state(std::string const& state) {
  std::istringstream stream(state);
  std::mt19937 engine;
  stream >> engine;
  require(!stream.fail(), "random generator: the stored state must hold 625 numbers of a Mersenne twister, found ",
          state.size(), " characters of something else");
  engine_ = engine;
}

}  // namespace strata
