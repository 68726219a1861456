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

/// Keys that take the place of those of a section.
struct Overlay {
  std::string section;
  std::string path;  ///< where the keys stand in the deck
  std::unique_ptr<DeckNode> keys;
};

struct SectionState {
  std::string path;
  DeckNode const* node = nullptr;  ///< a map; nullptr when absent or empty
  DeckNode const* over = nullptr;  ///< a map whose keys take the place of those of `node`; nullptr: none
  std::string over_path;           ///< where `over` stands in the deck
  std::vector<Overlay> overlays;   ///< for sections below
  DeckPosition position;           ///< of the key, or of the nearest section above
  bool exists = false;
  std::vector<AskedKey> asked;

  /// The entry that counts.
  DeckEntry const* find(std::string const& key) const;
  /// Path of `key` where it stands, or where it would.
  std::string path_of(std::string const& key) const;
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

/// The state of the section at `key` of `parent`. \throws InputError when it is no section.
std::unique_ptr<SectionState> make_section(SectionState const& parent, std::string const& key);

/// The sentence for a key of `section` that nobody read.
std::string unread_message(SectionState const& root, SectionState const& section, DeckEntry const& entry);

/// One sentence for each unread key of `section` and below, in the order of the file.
void collect_unread(SectionState const& root, SectionState const& section, std::vector<std::string>& messages);

/// Values used in `section` and below.
DeckNode resolved_tree(SectionState const& section);

}  // namespace strata
