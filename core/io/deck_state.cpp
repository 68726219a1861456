#include "core/io/deck_state.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/base/nearest.hpp"
#include "core/base/text.hpp"
#include "core/io/deck_values.hpp"

namespace strata {
namespace {

/// Paths of sections, other than `here`, in which `key` was asked for.
void find_elsewhere(SectionState const& section, SectionState const& here, std::string const& key,
                    std::vector<std::string>& paths) {
  bool const known = section.find_asked(key) != nullptr;
  if (known && &section != &here && !section.path.empty()) paths.push_back(section.path);
  for (auto const& asked : section.asked) {
    if (asked.section) find_elsewhere(*asked.section, here, key, paths);
  }
}

/// Splits `name[3]` into name and 3; -1 without an index.
std::pair<std::string, int> split_index(std::string const& key) {
  auto const bracket = key.find('[');
  if (bracket == std::string::npos) return {key, -1};
  return {key.substr(0, bracket), std::atoi(key.c_str() + bracket + 1)};
}

}  // namespace

AskedKey& SectionState::ask(std::string const& key) {
  auto const found = std::find_if(asked.begin(), asked.end(), [&](AskedKey const& a) { return a.key == key; });
  if (found != asked.end()) return *found;
  asked.emplace_back();
  asked.back().key = key;
  return asked.back();
}

AskedKey const* SectionState::find_asked(std::string const& key) const {
  auto const found = std::find_if(asked.begin(), asked.end(), [&](AskedKey const& a) { return a.key == key; });
  return found == asked.end() ? nullptr : &*found;
}

DeckEntry const* SectionState::find(std::string const& key) const {
  DeckEntry const* const replaced = over == nullptr ? nullptr : over->find(key);
  if (replaced != nullptr) return replaced;
  return node == nullptr ? nullptr : node->find(key);
}

std::string SectionState::path_of(std::string const& key) const {
  std::string const& here = over != nullptr && over->find(key) != nullptr ? over_path : path;
  return here.empty() ? key : here + "." + key;
}

std::vector<std::string> SectionState::known_keys() const {
  std::vector<std::string> keys;
  for (auto const& a : asked) keys.push_back(a.key);
  return keys;
}

DeckPosition DeckState::position_of(std::string const& path) const {
  DeckNode const* node = &tree;
  DeckPosition position{file};
  std::size_t begin = 0;
  while (begin <= path.size()) {
    std::size_t const end = std::min(path.find('.', begin), path.size());
    auto const [key, index] = split_index(path.substr(begin, end - begin));
    DeckEntry const* const entry = node->find(key);
    if (entry == nullptr) return position;
    node = &entry->value;
    if (index >= 0 && index < int(node->items.size())) node = &node->items[index];
    // A section begins at its key: yaml-cpp puts a map at its first entry.
    bool const last = end == path.size();
    bool const is_section = node->kind == DeckNode::Kind::map && index < 0;
    position = last && !is_section ? node->position : entry->position;
    begin = end + 1;
  }
  return position;
}

std::unique_ptr<SectionState> make_section(SectionState const& parent, std::string const& key) {
  auto made = std::make_unique<SectionState>();
  made->path = parent.path_of(key);
  made->position = parent.position;
  for (auto const& overlay : parent.overlays) {
    if (overlay.section != key) continue;
    made->over = overlay.keys.get();
    made->over_path = overlay.path;
    made->exists = true;
  }
  DeckEntry const* const entry = parent.find(key);
  if (entry == nullptr) return made;
  bool const is_map = entry->value.kind == DeckNode::Kind::map;
  bool const is_empty = entry->value.kind == DeckNode::Kind::null;
  if (!is_map && !is_empty) fail_conversion(entry->value, made->path, "a section");
  made->exists = true;
  made->position = entry->position;
  made->node = is_map ? &entry->value : nullptr;
  return made;
}

std::string unread_message(SectionState const& root, SectionState const& section, DeckEntry const& entry) {
  std::string const path = section.path_of(entry.key);
  std::string const where = entry.position.to_string() + ": " + path + ": ";
  if (section.find_asked(entry.key) != nullptr) return where + "has no effect here, remove it";
  auto const known = section.known_keys();
  std::string const what = section.path.empty() ? "unknown section" : "unknown key";
  std::vector<std::string> elsewhere;
  find_elsewhere(root, section, entry.key, elsewhere);
  if (!elsewhere.empty() && likely_meant(entry.key, known).empty()) {
    return text(where, what, ", it belongs to ", joined(elsewhere, " or "));
  }
  std::string const hint = suggestion(entry.key, known);
  return where + what + (hint.empty() ? "" : ", " + hint);
}

void collect_unread(SectionState const& root, SectionState const& section, std::vector<std::string>& messages) {
  for (DeckNode const* const map : {section.node, section.over}) {
    if (map == nullptr) continue;
    for (auto const& entry : map->entries) {
      AskedKey const* const asked = section.find_asked(entry.key);
      if (section.find(entry.key) != &entry) continue;  // another took its place
      if (asked != nullptr && asked->section) {
        collect_unread(root, *asked->section, messages);
      } else if (asked == nullptr || !asked->read) {
        messages.push_back(unread_message(root, section, entry));
      }
    }
  }
  // Sections that stand in an overlay alone.
  for (auto const& asked : section.asked)
    if (asked.section && section.find(asked.key) == nullptr) collect_unread(root, *asked.section, messages);
}

DeckNode resolved_tree(SectionState const& section) {
  DeckNode tree;
  tree.kind = DeckNode::Kind::map;
  for (auto const& asked : section.asked) {
    if (asked.used) {
      tree.add(asked.key, DeckPosition{}, *asked.used);
    } else if (asked.section) {
      DeckNode const below = resolved_tree(*asked.section);
      if (!below.entries.empty()) tree.add(asked.key, DeckPosition{}, below);
    }
  }
  return tree;
}

}  // namespace strata
