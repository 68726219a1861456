/// Joins values to text.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>

namespace strata {

/// The parts written one after the other with operator<<.
template <class... Parts>
std::string text(Parts const&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

/// The items of a list with `separator` between them.
template <class List>
std::string joined(List const& list, std::string const& separator = ", ") {
  std::ostringstream stream;
  std::size_t position = 0;
  for (auto const& item : list) stream << (position++ > 0 ? separator : "") << item;
  return stream.str();
}

/// Extents as `[4][5][6]`; `[]` for a scalar.
template <class List>
std::string shape_text(List const& shape) {
  std::ostringstream stream;
  for (auto const& extent : shape) stream << '[' << extent << ']';
  return stream.str().empty() ? "[]" : stream.str();
}

}  // namespace strata
