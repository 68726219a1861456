/// What a Deck remembers. Internal to core/io.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/deck_node.hpp"

namespace strata {

struct SectionState;

/// A key that was asked for in a section.
struct AskedKey {
  std::string key;
  bool read = false;             ///< asked for its value, not only whether it is there
  std::optional<DeckNode> used;  ///< the value used
  std::unique_ptr<SectionState> section;
};

struct SectionState {
  std::string path;
  DeckNode const* node = nullptr;  ///< a map; nullptr when absent or empty
  DeckPosition position;           ///< of the key, or of the nearest section above
  bool exists = false;
  std::vector<AskedKey> asked;

  DeckEntry const* find(std::string const& key) const { return node == nullptr ? nullptr : node->find(key); }
  AskedKey& ask(std::string const& key);
  AskedKey const* find_asked(std::string const& key) const;
  std::vector<std::string> known_keys() const;
};

struct DeckState {
  std::string file;
  DeckNode tree;
  SectionState root;

  /// Position of the value at `path`, or of the nearest key above it.
  DeckPosition position_of(std::string const& path) const;
};

/// The sentence for a key of `section` that nobody read.
std::string unread_message(SectionState const& root, SectionState const& section, DeckEntry const& entry);

/// One sentence for each unread key of `section` and below, in the order of the file.
void collect_unread(SectionState const& root, SectionState const& section, std::vector<std::string>& messages);

/// Values used in `section` and below.
DeckNode resolved_tree(SectionState const& section);

}  // namespace strata
