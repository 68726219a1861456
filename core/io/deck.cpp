#include "core/io/deck.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/nearest.hpp"
#include "core/io/deck_state.hpp"
#include "core/io/deck_values.hpp"

namespace strata {
namespace {

std::string read_text_file(std::string const& path) {
  std::error_code status;
  require(!std::filesystem::is_directory(path, status), path, ": expected a deck, got a folder");
  std::ifstream stream(path, std::ios::binary);
  require(stream.good(), path, ": cannot open the deck: ", std::strerror(errno));
  std::ostringstream content;
  content << stream.rdbuf();
  require(!stream.bad(), path, ": cannot read the deck: ", std::strerror(errno));
  return content.str();
}

}  // namespace

std::string const& DeckSection::path() const {
  return state_->path;
}

bool DeckSection::exists() const {
  return state_->exists;
}

bool DeckSection::has(std::string const& key) const {
  state_->ask(key);
  return state_->find(key) != nullptr;
}

DeckSection::Kind DeckSection::kind(std::string const& key) const {
  if (!has(key)) return Kind::absent;
  DeckNode const& node = state_->find(key)->value;
  switch (node.kind) {
    case DeckNode::Kind::null:
      return Kind::empty;
    case DeckNode::Kind::list:
      return Kind::list;
    case DeckNode::Kind::map:
      return Kind::section;
    default:
      break;
  }
  if (looks_like_bool(node)) return Kind::boolean;
  return looks_like_number(node) ? Kind::number : Kind::text;
}

template <class T>
std::optional<T> DeckSection::find(std::string const& key) const {
  AskedKey& asked = state_->ask(key);
  asked.read = true;
  DeckEntry const* const entry = state_->find(key);
  if (entry == nullptr) return std::nullopt;
  T value{};
  convert(entry->value, path_of(key), Infinity::refused, value);
  asked.used = to_node(value);
  return value;
}

template <class T>
T DeckSection::get(std::string const& key, T const& fallback) const {
  if (auto const value = find<T>(key)) return *value;
  record(key, fallback);
  return fallback;
}

template <class T>
T DeckSection::require(std::string const& key) const {
  if (auto const value = find<T>(key)) return *value;
  fail_missing(key, one_of(T{}));
}

template <class T>
void DeckSection::record(std::string const& key, T const& value) const {
  AskedKey& asked = state_->ask(key);
  asked.read = true;
  asked.used = to_node(value);
}

#define STRATA_DECK_TYPE(T)                                                 \
  template std::optional<T> DeckSection::find<T>(std::string const&) const; \
  template T DeckSection::get<T>(std::string const&, T const&) const;       \
  template T DeckSection::require<T>(std::string const&) const;             \
  template void DeckSection::record<T>(std::string const&, T const&) const;
STRATA_DECK_TYPE(bool)
STRATA_DECK_TYPE(int)
STRATA_DECK_TYPE(std::int64_t)
STRATA_DECK_TYPE(double)
STRATA_DECK_TYPE(std::string)
STRATA_DECK_TYPE(std::vector<int>)
STRATA_DECK_TYPE(std::vector<double>)
STRATA_DECK_TYPE(std::vector<std::string>)
STRATA_DECK_TYPE(std::vector<std::vector<double>>)
#undef STRATA_DECK_TYPE

std::optional<double> DeckSection::find_unbounded(std::string const& key) const {
  AskedKey& asked = state_->ask(key);
  asked.read = true;
  DeckEntry const* const entry = state_->find(key);
  if (entry == nullptr) return std::nullopt;
  double value = 0;
  convert(entry->value, path_of(key), Infinity::allowed, value);
  asked.used = to_node(value);
  return value;
}

double DeckSection::get_unbounded(std::string const& key, double fallback) const {
  if (auto const value = find_unbounded(key)) return *value;
  record(key, fallback);
  return fallback;
}

double DeckSection::require_unbounded(std::string const& key) const {
  if (auto const value = find_unbounded(key)) return *value;
  fail_missing(key, one_of(double{}));
}

std::string DeckSection::choice(std::string const& key, std::vector<std::string> const& names,
                                std::string const& fallback) const {
  if (has(key)) return require_choice(key, names);
  record(key, fallback);
  return fallback;
}

std::string DeckSection::require_choice(std::string const& key, std::vector<std::string> const& names) const {
  if (!has(key)) fail_missing(key, "one of " + joined(names));
  DeckNode const& node = state_->find(key)->value;
  std::string const expected = "one of " + joined(names);
  if (node.kind != DeckNode::Kind::scalar) fail_conversion(node, path_of(key), expected);
  auto const value = require<std::string>(key);
  for (auto const& name : names) {
    if (name == value) return value;
  }
  std::string const meant = likely_meant(value, names);
  fail(key,
       text("expected ", expected, ", got '", value, "'", meant.empty() ? "" : text(", did you mean '", meant, "'?")));
}

std::string DeckSection::record_path(std::string const& key, std::string const& path) const {
  namespace fs = std::filesystem;
  std::string const full = (fs::path(deck_->file).parent_path() / path).lexically_normal().string();
  record(key, fs::absolute(full).lexically_normal().string());
  return full;
}

std::optional<std::string> DeckSection::find_path(std::string const& key) const {
  auto const path = find<std::string>(key);
  if (!path) return std::nullopt;
  if (path->empty()) fail(key, "expected a file name, got an empty text");
  return record_path(key, *path);
}

std::string DeckSection::get_path(std::string const& key, std::string const& fallback) const {
  if (auto const path = find_path(key)) return *path;
  return record_path(key, fallback);
}

std::string DeckSection::require_path(std::string const& key) const {
  if (auto const path = find_path(key)) return *path;
  fail_missing(key, "a file name");
}

DeckSection DeckSection::section(std::string const& key) const {
  AskedKey& asked = state_->ask(key);
  asked.read = true;
  if (!asked.section) asked.section = make_section(*state_, key);
  return {deck_, asked.section.get()};
}

void DeckSection::declare(std::vector<std::string> const& keys) const {
  for (auto const& key : keys) state_->ask(key);
}

void DeckSection::allow(std::string const& key) const {
  state_->ask(key).read = true;
}

std::string DeckSection::at(std::string const& key) const {
  return deck_->position_of(path_of(key)).to_string();
}

void DeckSection::fail(std::string const& key, std::string const& message) const {
  throw InputError(text(at(key), ": ", path_of(key), ": ", message));
}

void DeckSection::fail_missing(std::string const& key, std::string const& expected) const {
  // A misspelt key is the likeliest cause; it would otherwise be reported only after this one.
  for (DeckNode const* const map : {state_->node, state_->over}) {
    if (map == nullptr) continue;
    for (auto const& entry : map->entries) {
      bool const misspelt = state_->find_asked(entry.key) == nullptr && likely_meant(entry.key, {key}) == key;
      if (misspelt) throw InputError(unread_message(deck_->root, *state_, entry));
    }
  }
  throw InputError(text(state_->position.to_string(), ": ", path_of(key), ": missing, expected ", expected));
}

std::string DeckSection::path_of(std::string const& key) const {
  return state_->path_of(key);
}

Deck Deck::load(std::string const& path, std::vector<std::string> const& overrides) {
  return parse(read_text_file(path), path, overrides);
}

Deck Deck::parse(std::string const& content, std::string const& name, std::vector<std::string> const& overrides) {
  auto state = std::make_shared<DeckState>();
  state->file = name;
  state->tree = parse_deck(content, name);
  for (auto const& assignment : overrides) apply_override(state->tree, assignment);
  state->root.node = &state->tree;
  state->root.position = {name};
  state->root.exists = true;
  return Deck(std::move(state));
}

DeckSection Deck::root() const {
  return {state_, &state_->root};
}

std::string Deck::at(std::string const& path) const {
  return state_->position_of(path).to_string();
}

void Deck::fail(std::string const& path, std::string const& message) const {
  root().fail(path, message);
}

std::vector<Deck> Deck::variants(std::string const& list, std::string const& section,
                                 std::vector<std::string> const& others) const {
  DeckEntry const* const entry = state_->root.find(list);
  root().allow(list);
  if (entry == nullptr) return {};
  if (entry->value.kind != DeckNode::Kind::list || entry->value.items.empty())
    fail_conversion(entry->value, list, "a list of maps, - {key: value} for each");
  std::vector<Deck> decks;
  for (std::size_t i = 0; i < entry->value.items.size(); ++i) {
    DeckNode const& item = entry->value.items[i];
    std::string const path = text(list, "[", i, "]");
    if (item.kind != DeckNode::Kind::map) fail_conversion(item, path, "a map, {key: value}");
    auto state = std::make_shared<DeckState>();
    state->file = state_->file;
    state->tree = state_->tree;
    state->root.node = &state->tree;
    state->root.position = state_->root.position;
    state->root.exists = true;
    state->root.ask(list).read = true;
    DeckNode own = item;
    for (auto const& other : others) {
      DeckEntry const* const nested = item.find(other);
      if (nested == nullptr) continue;
      std::string const where = path + "." + other;
      if (nested->value.kind != DeckNode::Kind::map) fail_conversion(nested->value, where, "a section");
      state->root.overlays.push_back({other, where, std::make_unique<DeckNode>(nested->value)});
      std::erase_if(own.entries, [&](DeckEntry const& e) { return e.key == other; });
    }
    state->root.overlays.push_back({section, path, std::make_unique<DeckNode>(std::move(own))});
    decks.push_back(Deck(std::move(state)));
  }
  return decks;
}

void Deck::reject_unread() const {
  std::vector<std::string> messages;
  collect_unread(state_->root, state_->root, messages);
  if (messages.empty()) return;
  std::size_t const more = messages.size() - 1;
  throw InputError(more == 0 ? messages.front()
                             : text(messages.front(), " (and ", more, more == 1 ? " more key" : " more keys",
                                    " that nothing reads)"));
}

std::string Deck::resolved() const {
  return to_yaml(resolved_tree(state_->root));
}

std::string const& Deck::file() const {
  return state_->file;
}

std::string Deck::folder() const {
  auto const parent = std::filesystem::path(state_->file).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace strata
