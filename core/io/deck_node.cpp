#include "core/io/deck_node.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace strata {
namespace {

constexpr int max_depth = 32;
constexpr long max_nodes = 200'000;

/// Turns yaml-cpp's nodes into ours.
class Converter {
 public:
  Converter(std::string source, bool with_positions) : source_(std::move(source)), with_positions_(with_positions) {}

  DeckNode convert(YAML::Node const& yaml, std::string const& path, int depth) {
    DeckNode node;
    node.position = position_of(yaml);
    // Aliases may be nested so that a short file expands without end.
    bool const too_big = depth > max_depth || ++num_nodes_ > max_nodes;
    require(!too_big, node.position.to_string(), ": ", path, ": nested too deeply or too many values");
    if (yaml.IsScalar()) {
      node.kind = DeckNode::Kind::scalar;
      node.scalar = yaml.Scalar();
      node.quoted = yaml.Tag() == "!" || yaml.Tag() == "tag:yaml.org,2002:str";
    } else if (yaml.IsSequence()) {
      node.kind = DeckNode::Kind::list;
      for (std::size_t i = 0; i < yaml.size(); ++i) {
        node.items.push_back(convert(yaml[i], text(path, "[", i, "]"), depth + 1));
      }
    } else if (yaml.IsMap()) {
      node.kind = DeckNode::Kind::map;
      convert_entries(yaml, path, depth, node);
    }
    return node;
  }

 private:
  DeckPosition position_of(YAML::Node const& yaml) const {
    if (!with_positions_) return {source_};
    YAML::Mark const mark = yaml.Mark();  // counts from 0; -1 when unknown
    return {source_, mark.line + 1, mark.column + 1};
  }

  void convert_entries(YAML::Node const& yaml, std::string const& path, int depth, DeckNode& node) {
    std::vector<YAML::Node> merged;
    for (auto const& pair : yaml) {
      DeckPosition const position = position_of(pair.first);
      require(pair.first.IsScalar(), position.to_string(), ": ", path.empty() ? "top level" : path,
              ": expected a key that is plain text, got a list or a section");
      std::string const key = pair.first.Scalar();
      std::string const key_path = path.empty() ? key : path + "." + key;
      if (key == "<<") {
        require(pair.second.IsMap(), position.to_string(), ": ", key_path, ": expected an alias of a section");
        merged.push_back(pair.second);
        continue;
      }
      if (DeckEntry const* const first = node.find(key)) {
        throw InputError(
            text(position.to_string(), ": ", key_path, ": duplicate key, first given at line ", first->position.line));
      }
      DeckNode& value = node.add(key, position, convert(pair.second, key_path, depth + 1)).value;
      if (value.kind == DeckNode::Kind::null) value.position = position;  // yaml-cpp gives the next line's
    }
    for (auto const& other : merged) {
      for (auto& entry : convert(other, path, depth + 1).entries) {
        if (node.find(entry.key) == nullptr) node.entries.push_back(std::move(entry));
      }
    }
  }

  std::string source_;
  bool with_positions_;
  long num_nodes_ = 0;
};

/// yaml-cpp's documents, or an InputError that says where the syntax is wrong.
std::vector<YAML::Node> load_documents(std::string const& content, std::string const& source, bool with_position) {
  try {
    return YAML::LoadAll(content);
  } catch (YAML::Exception const& error) {
    DeckPosition const position =
        with_position ? DeckPosition{source, error.mark.line + 1, error.mark.column + 1} : DeckPosition{source};
    throw InputError(text(position.to_string(), ": not valid YAML: ", error.msg));
  }
}

std::vector<std::string> split_path(std::string const& path) {
  std::vector<std::string> keys(1);
  for (char const c : path) {
    if (c == '.') {
      keys.emplace_back();
    } else if (c != ' ') {
      keys.back() += c;
    }
  }
  return keys;
}

void emit(YAML::Emitter& out, DeckNode const& node, bool flow) {
  switch (node.kind) {
    case DeckNode::Kind::null:
      out << YAML::Null;
      break;
    case DeckNode::Kind::scalar:
      if (node.quoted) out << YAML::DoubleQuoted;
      out << node.scalar;
      break;
    case DeckNode::Kind::list:
      out << YAML::Flow << YAML::BeginSeq;
      for (auto const& item : node.items) emit(out, item, true);
      out << YAML::EndSeq;
      break;
    case DeckNode::Kind::map:
      if (flow) out << YAML::Flow;
      out << YAML::BeginMap;
      for (auto const& entry : node.entries) {
        out << YAML::Key << entry.key << YAML::Value;
        emit(out, entry.value, flow);
      }
      out << YAML::EndMap;
      break;
  }
}

}  // namespace

std::string DeckPosition::to_string() const {
  return line > 0 ? text(source, ":", line, ":", column) : source;
}

DeckEntry const* DeckNode::find(std::string const& key) const {
  auto const found = std::find_if(entries.begin(), entries.end(), [&](DeckEntry const& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

DeckEntry* DeckNode::find(std::string const& key) {
  return const_cast<DeckEntry*>(static_cast<DeckNode const*>(this)->find(key));
}

DeckEntry& DeckNode::add(std::string const& key, DeckPosition const& key_position, DeckNode const& value) {
  DeckEntry& entry = entries.emplace_back();
  entry.key = key;
  entry.position = key_position;
  entry.value = value;
  return entry;
}

std::string DeckNode::description() const {
  constexpr std::size_t max_length = 60;
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a section";
    default:
      break;
  }
  std::string const shown = scalar.size() > max_length ? scalar.substr(0, max_length) + "..." : scalar;
  return text(quoted ? "the text '" : "'", shown, "'");
}

DeckNode parse_deck(std::string const& content, std::string const& source) {
  auto const documents = load_documents(content, source, true);
  if (documents.size() > 1) {
    DeckPosition const position{source, documents[1].Mark().line + 1, documents[1].Mark().column + 1};
    throw InputError(text(position.to_string(), ": expected one YAML document, got ", documents.size()));
  }
  DeckNode root;
  if (!documents.empty()) root = Converter(source, true).convert(documents[0], "", 0);
  if (root.kind == DeckNode::Kind::null) {
    root.kind = DeckNode::Kind::map;
    root.position = {source};
  }
  require(root.kind == DeckNode::Kind::map, root.position.to_string(), ": expected sections such as 'geometry:', got ",
          root.description());
  return root;
}

void apply_override(DeckNode& root, std::string const& assignment) {
  auto const equals = assignment.find('=');
  auto const keys = split_path(assignment.substr(0, equals));
  bool const named = std::none_of(keys.begin(), keys.end(), [](std::string const& key) { return key.empty(); });
  require(equals != std::string::npos && named, "--set: expected section.key=value, got '", assignment, "'");

  std::string const value = assignment.substr(equals + 1);
  std::string const path = joined(keys, ".");
  auto const documents = load_documents(value, text("--set: ", path), false);
  require(documents.size() == 1, "--set: ", path, ": expected a value after '=', got '", value, "'");
  DeckNode const replacement = Converter("--set", false).convert(documents[0], path, 0);

  DeckNode* node = &root;
  DeckPosition const position{"--set"};
  for (auto const& key : keys) {
    if (node->kind != DeckNode::Kind::map) {  // the option wins over a plain value of the deck
      *node = {};
      node->kind = DeckNode::Kind::map;
      node->position = position;
    }
    DeckEntry* entry = node->find(key);
    if (entry == nullptr) {
      entry = &node->add(key, position, DeckNode{});
      entry->value.position = position;
    }
    node = &entry->value;
  }
  *node = replacement;
}

std::string to_yaml(DeckNode const& root) {
  YAML::Emitter out;
  emit(out, root, false);
  return text(out.c_str(), "\n");
}

}  // namespace strata
