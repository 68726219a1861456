/// A deck: the YAML file that describes a run, with strict types, positions in messages, and a record of what was
/// asked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace strata {

struct DeckState;
struct SectionState;

/// One section (map) of a deck, given or absent; cheap to copy. Reading a key marks it as read and records the value
/// used. T is one of bool, int, std::int64_t, double, std::string, std::vector of int, double or std::string, and
/// std::vector<std::vector<double>>. Nothing is converted loosely: `3.5` and `1e3` are no whole numbers, `"3"` in
/// quotes is text, numbers are finite. All errors are InputError and begin with file, line, column and key path.
class DeckSection {
 public:
  enum class Kind { absent, empty, boolean, number, text, list, section };

  /// Path of keys, `` for the top level.
  std::string const& path() const;
  /// True when the deck has this section.
  bool exists() const;
  /// True when `key` is given, whatever its value.
  bool has(std::string const& key) const;
  /// What stands at `key`, for keys that take several types.
  Kind kind(std::string const& key) const;

  /// The value, or `fallback` when the key is absent.
  template <class T>
  T get(std::string const& key, T const& fallback) const;
  std::string get(std::string const& key, char const* fallback) const { return get<std::string>(key, fallback); }
  /// The value, or nothing when the key is absent (an automatic value: see record()).
  template <class T>
  std::optional<T> find(std::string const& key) const;
  /// \throws InputError when the key is absent.
  template <class T>
  T require(std::string const& key) const;

  /// Numbers that may be `.inf`.
  double get_unbounded(std::string const& key, double fallback) const;
  std::optional<double> find_unbounded(std::string const& key) const;
  double require_unbounded(std::string const& key) const;

  /// One of `names`.
  std::string choice(std::string const& key, std::vector<std::string> const& names, std::string const& fallback) const;
  std::string require_choice(std::string const& key, std::vector<std::string> const& names) const;

  /// Paths: relative ones are relative to the deck's folder.
  std::string get_path(std::string const& key, std::string const& fallback) const;
  std::optional<std::string> find_path(std::string const& key) const;
  std::string require_path(std::string const& key) const;

  /// The section at `key`, which may be absent or empty.
  DeckSection section(std::string const& key) const;

  /// Enters an automatic value into the resolved deck.
  template <class T>
  void record(std::string const& key, T const& value) const;

  /// Names keys that exist elsewhere but are not used here: reject_unread() then says so instead of "unknown key".
  void declare(std::vector<std::string> const& keys) const;
  /// Accepts `key` and all below unseen: sections of other programs.
  void allow(std::string const& key) const;

  /// Position of the value at `key` (or of the section when it is absent): `deck.yaml:14:9`.
  std::string at(std::string const& key) const;
  /// \throws InputError `deck.yaml:14:9: geometry.key: message`.
  [[noreturn]] void fail(std::string const& key, std::string const& message) const;

 private:
  friend class Deck;
  DeckSection(std::shared_ptr<DeckState> deck, SectionState* state) : deck_(std::move(deck)), state_(state) {}
  std::string path_of(std::string const& key) const;
  std::string record_path(std::string const& key, std::string const& path) const;
  [[noreturn]] void fail_missing(std::string const& key, std::string const& expected) const;

  std::shared_ptr<DeckState> deck_;
  SectionState* state_;
};

class Deck {
 public:
  /// \throws InputError for a file that cannot be read or is no deck, or a malformed override. Overrides are
  /// `section.key=value`, the value in YAML.
  static Deck load(std::string const& path, std::vector<std::string> const& overrides = {});
  /// As load() from text; `name` stands in messages, relative paths are relative to its folder.
  static Deck parse(std::string const& content, std::string const& name = "deck.yaml",
                    std::vector<std::string> const& overrides = {});

  DeckSection root() const;
  DeckSection section(std::string const& key) const { return root().section(key); }
  bool has(std::string const& key) const { return root().has(key); }
  /// Position of the value at a path such as `geometry.delta_voxel` or of the nearest section above it.
  std::string at(std::string const& path) const;
  [[noreturn]] void fail(std::string const& path, std::string const& message) const;

  /// One deck for each item of the list of maps at `list`: as this one, with the keys of the item in place of those of
  /// section `section`, and the keys of its maps `others` in place of those of the sections of these names. Messages
  /// name the item: `list[1].key`. Empty when there is no list. \throws InputError unless it is a list of maps.
  std::vector<Deck> variants(std::string const& list, std::string const& section,
                             std::vector<std::string> const& others) const;

  /// \throws InputError for keys that nobody read: the first, with the key that was likely meant, and how many more.
  void reject_unread() const;
  /// YAML text of every key asked for with the value used, in the order of asking; paths are absolute.
  std::string resolved() const;

  std::string const& file() const;
  /// Folder of the deck's file.
  std::string folder() const;

 private:
  explicit Deck(std::shared_ptr<DeckState> state) : state_(std::move(state)) {}
  std::shared_ptr<DeckState> state_;
};

}  // namespace strata
