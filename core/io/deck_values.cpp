#include "core/io/deck_values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/error.hpp"

namespace strata {
namespace {

enum class Reading { ok, not_a_number, out_of_range };

/// std::from_chars on the whole scalar; a leading plus sign is allowed.
template <class T>
Reading read_number(std::string const& scalar, T& value) {
  char const* begin = scalar.data();
  char const* const end = begin + scalar.size();
  if (begin != end && *begin == '+' && begin + 1 != end && begin[1] != '-') ++begin;
  auto const [rest, status] = std::from_chars(begin, end, value);
  if (rest != end || status == std::errc::invalid_argument) return Reading::not_a_number;
  return status == std::errc::result_out_of_range ? Reading::out_of_range : Reading::ok;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

std::optional<bool> read_bool(DeckNode const& node) {
  if (node.kind != DeckNode::Kind::scalar || node.quoted) return std::nullopt;
  std::string const word = lower(node.scalar);
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off") return false;
  return std::nullopt;
}

/// +-.inf and .nan as YAML spells them.
std::optional<double> read_special(std::string const& scalar) {
  std::string const word = lower(scalar);
  if (word == ".inf" || word == "+.inf") return std::numeric_limits<double>::infinity();
  if (word == "-.inf") return -std::numeric_limits<double>::infinity();
  if (word == ".nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

template <class T>
void convert_integer(DeckNode const& node, std::string const& path, T& value) {
  bool const plain = node.kind == DeckNode::Kind::scalar && !node.quoted;
  Reading const reading = plain ? read_number(node.scalar, value) : Reading::not_a_number;
  if (reading == Reading::out_of_range) {
    fail_conversion(node, path,
                    text("a whole number from ", std::numeric_limits<T>::min(), " to ", std::numeric_limits<T>::max()));
  }
  if (reading != Reading::ok) fail_conversion(node, path, one_of(T{}));
}

DeckNode scalar_node(std::string scalar, bool quoted = false) {
  DeckNode node;
  node.kind = DeckNode::Kind::scalar;
  node.scalar = std::move(scalar);
  node.quoted = quoted;
  return node;
}

}  // namespace

void fail_conversion(DeckNode const& node, std::string const& path, std::string const& expected) {
  throw InputError(text(node.position.to_string(), ": ", path, ": expected ", expected, ", got ", node.description()));
}

void convert(DeckNode const& node, std::string const& path, Infinity, bool& value) {
  auto const read = read_bool(node);
  if (!read) fail_conversion(node, path, one_of(bool{}));
  value = *read;
}

void convert(DeckNode const& node, std::string const& path, Infinity, int& value) {
  convert_integer(node, path, value);
}

void convert(DeckNode const& node, std::string const& path, Infinity, std::int64_t& value) {
  convert_integer(node, path, value);
}

void convert(DeckNode const& node, std::string const& path, Infinity infinity, double& value) {
  if (node.kind != DeckNode::Kind::scalar || node.quoted) fail_conversion(node, path, one_of(double{}));
  if (auto const special = read_special(node.scalar)) {
    if (std::isinf(*special) && infinity == Infinity::allowed) {
      value = *special;
      return;
    }
    fail_conversion(node, path, "a finite number");
  }
  Reading const reading = read_number(node.scalar, value);
  if (reading == Reading::out_of_range) fail_conversion(node, path, "a number of size 1e-307 to 1e308");
  // from_chars also takes `inf` and `nan`, which YAML reads as text.
  if (reading != Reading::ok || !std::isfinite(value)) fail_conversion(node, path, one_of(double{}));
}

void convert(DeckNode const& node, std::string const& path, Infinity, std::string& value) {
  if (node.kind != DeckNode::Kind::scalar) fail_conversion(node, path, one_of(std::string{}));
  value = node.scalar;
}

std::string one_of(bool) {
  return "true or false";
}
std::string one_of(int) {
  return "a whole number";
}
std::string one_of(std::int64_t) {
  return "a whole number";
}
std::string one_of(double) {
  return "a number";
}
std::string one_of(std::string const&) {
  return "text";
}
std::string many_of(bool) {
  return "true or false values";
}
std::string many_of(int) {
  return "whole numbers";
}
std::string many_of(std::int64_t) {
  return "whole numbers";
}
std::string many_of(double) {
  return "numbers";
}
std::string many_of(std::string const&) {
  return "texts";
}

DeckNode to_node(bool value) {
  return scalar_node(value ? "true" : "false");
}
DeckNode to_node(int value) {
  return scalar_node(std::to_string(value));
}
DeckNode to_node(std::int64_t value) {
  return scalar_node(std::to_string(value));
}

DeckNode to_node(double value) {
  if (std::isnan(value)) return scalar_node(".nan");
  if (std::isinf(value)) return scalar_node(value > 0 ? ".inf" : "-.inf");
  std::array<char, 32> buffer{};  // the shortest text that reads back as the same number
  auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return scalar_node(std::string(buffer.data(), end));
}

DeckNode to_node(std::string const& value) {
  DeckNode node = scalar_node(value);
  node.quoted =
      value.empty() || value == "~" || lower(value) == "null" || looks_like_bool(node) || looks_like_number(node);
  return node;
}

bool looks_like_number(DeckNode const& node) {
  if (node.kind != DeckNode::Kind::scalar || node.quoted) return false;
  double value = 0;
  return read_special(node.scalar) ||
         (read_number(node.scalar, value) != Reading::not_a_number && std::isfinite(value));
}

bool looks_like_bool(DeckNode const& node) {
  return read_bool(node).has_value();
}

}  // namespace strata
