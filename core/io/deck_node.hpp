/// The tree of a deck with the position of every key and value. Internal to core/io.
#pragma once

#include <string>
#include <vector>

namespace strata {

/// Where something stands: in the deck's file, counted from 1, or in an option.
struct DeckPosition {
  std::string source;  ///< file name or `--set`
  int line = 0;        ///< 0: no position inside the source
  int column = 0;
  /// `deck.yaml:14:9` or `--set`.
  std::string to_string() const;
};

struct DeckEntry;

struct DeckNode {
  enum class Kind { null, scalar, list, map } kind = Kind::null;
  DeckPosition position;
  std::string scalar;
  bool quoted = false;  ///< a quoted scalar is text, whatever it looks like
  std::vector<DeckNode> items;
  std::vector<DeckEntry> entries;

  DeckEntry const* find(std::string const& key) const;
  DeckEntry* find(std::string const& key);
  /// Appends an entry.
  DeckEntry& add(std::string const& key, DeckPosition const& key_position, DeckNode const& value);
  /// For messages: `'abc'`, `a list`, `a section`, `nothing`.
  std::string description() const;
};

struct DeckEntry {
  std::string key;
  DeckPosition position;  ///< of the key
  DeckNode value;
};

/// Parses `content`, a map at top level or nothing. Aliases are expanded, merge keys (`<<`) merged. \throws InputError
/// for bad syntax, duplicate keys, several documents, and anything but a map at top level.
DeckNode parse_deck(std::string const& content, std::string const& source);

/// Applies one `section.key=value`; missing sections are made. \throws InputError when it is malformed.
void apply_override(DeckNode& root, std::string const& assignment);

/// YAML text of the tree: sections in block style, lists in flow style.
std::string to_yaml(DeckNode const& root);

}  // namespace strata
