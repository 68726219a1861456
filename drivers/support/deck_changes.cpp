#include "drivers/support/deck_changes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/io/deck_node.hpp"

namespace strata {
namespace {

/// In one line.
std::string text_of(DeckNode const& node) {
  if (node.kind == DeckNode::Kind::scalar) return node.scalar;
  std::string text = to_yaml(node);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// Long lists are cut: the message is about the key.
std::string shortened(std::string const& text) {
  constexpr std::size_t longest = 60;
  return text.size() <= longest ? text : text.substr(0, longest) + " ..";
}

void compare(DeckNode const& before, DeckNode const& now, std::string const& path, std::vector<DeckChange>& changes) {
  for (auto const& entry : now.entries) {
    DeckEntry const* const former = before.find(entry.key);
    if (former == nullptr) continue;
    std::string const key = path.empty() ? entry.key : path + "." + entry.key;
    bool const maps = entry.value.kind == DeckNode::Kind::map && former->value.kind == DeckNode::Kind::map;
    if (maps)
      compare(former->value, entry.value, key, changes);
    else if (std::string const a = text_of(former->value), b = text_of(entry.value); a != b)
      changes.push_back({key, shortened(a), shortened(b)});
  }
}

}  // namespace

std::vector<DeckChange> deck_changes(std::string const& before, std::string const& now) {
  std::vector<DeckChange> changes;
  compare(parse_deck(before, "deck of before"), parse_deck(now, "deck"), "", changes);
  return changes;
}

bool decides_result(std::string const& path) {
  static constexpr std::array<std::string_view, 4> sections = {"input.", "geometry.", "reconstruction.", "denoise."};
  static constexpr std::array<std::string_view, 2> ends_of_runs = {".max_iterations", ".stop_"};
  std::string_view const text = path;
  return std::ranges::any_of(sections, [&](auto section) { return text.starts_with(section); }) &&
         std::ranges::none_of(ends_of_runs, [&](auto key) { return text.find(key) != text.npos; });
}

}  // namespace strata
