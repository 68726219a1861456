/// Strict conversion of deck nodes to values, and of values to nodes. Internal to core/io.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/deck_node.hpp"

namespace strata {

/// Whether `.inf` is a number.
enum class Infinity { refused, allowed };

/// The value of `node`; `path` is its key path for messages. \throws InputError at the node's position.
void convert(DeckNode const& node, std::string const& path, Infinity infinity, bool& value);
void convert(DeckNode const& node, std::string const& path, Infinity infinity, int& value);
void convert(DeckNode const& node, std::string const& path, Infinity infinity, std::int64_t& value);
void convert(DeckNode const& node, std::string const& path, Infinity infinity, double& value);
void convert(DeckNode const& node, std::string const& path, Infinity infinity, std::string& value);

/// What is expected, in the singular (`a number`) and in the plural (`numbers`).
std::string one_of(bool);
std::string one_of(int);
std::string one_of(std::int64_t);
std::string one_of(double);
std::string one_of(std::string const&);
std::string many_of(bool);
std::string many_of(int);
std::string many_of(std::int64_t);
std::string many_of(double);
std::string many_of(std::string const&);
template <class T>
std::string many_of(std::vector<T> const&) {
  return "lists of " + many_of(T{});
}
template <class T>
std::string one_of(std::vector<T> const&) {
  return "a list of " + many_of(T{});
}

template <class T>
void convert(DeckNode const& node, std::string const& path, Infinity infinity, std::vector<T>& value);

/// \throws InputError `position: path: expected X, got Y`.
[[noreturn]] void fail_conversion(DeckNode const& node, std::string const& path, std::string const& expected);

DeckNode to_node(bool value);
DeckNode to_node(int value);
DeckNode to_node(std::int64_t value);
DeckNode to_node(double value);
DeckNode to_node(std::string const& value);

template <class T>
DeckNode to_node(std::vector<T> const& values) {
  DeckNode node;
  node.kind = DeckNode::Kind::list;
  for (auto const& value : values) node.items.push_back(to_node(T(value)));
  return node;
}

template <class T>
void convert(DeckNode const& node, std::string const& path, Infinity infinity, std::vector<T>& value) {
  if (node.kind != DeckNode::Kind::list) fail_conversion(node, path, one_of(std::vector<T>{}));
  value.clear();
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    T item{};
    convert(node.items[i], path + "[" + std::to_string(i) + "]", infinity, item);
    value.push_back(std::move(item));
  }
}

/// True for plain scalars that read as a finite or infinite number, as true or false.
bool looks_like_number(DeckNode const& node);
bool looks_like_bool(DeckNode const& node);

}  // namespace strata
