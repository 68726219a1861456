#include "drivers/support/provenance.hpp"

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <sstream>

#include "core/base/version.hpp"
#include "core/io/deck_node.hpp"
#include "core/io/deck_values.hpp"
#include "drivers/support/memory_meter.hpp"

namespace strata {
namespace {

std::string utc_now() {
  std::time_t const now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> buffer{};
  std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return buffer.data();
}

std::size_t position(Phase phase) {
  return static_cast<std::size_t>(phase);
}

/// HDF5 keeps at most 64 KiB in an attribute.
constexpr std::size_t longest_list = 4000;

bool is_whole(DeckNode const& node) {
  return node.scalar.find_first_not_of("+-0123456789") == std::string::npos && node.scalar.size() < 18;
}

double number_of(DeckNode const& node, std::string const& path) {
  double value = 0;
  convert(node, path, Infinity::allowed, value);
  return value;
}

bool is_number_node(DeckNode const& node) {
  return node.kind == DeckNode::Kind::scalar && looks_like_number(node);
}

template <class T>
void write_list(AtomicHdf5Writer& writer, std::string const& path, DeckNode const& list) {
  std::vector<T> values;
  for (auto const& item : list.items) values.push_back(static_cast<T>(number_of(item, path)));
  writer.set_attribute("/parameters", path, values);
}

/// One line of YAML.
std::string yaml_text(DeckNode const& node) {
  if (node.kind == DeckNode::Kind::scalar) return node.scalar;
  DeckNode root;
  root.kind = DeckNode::Kind::map;
  DeckEntry& entry = root.entries.emplace_back();
  entry.key = "x";
  entry.value = node;
  std::string line = to_yaml(root).substr(3);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

void write_value(AtomicHdf5Writer& writer, std::string const& path, DeckNode const& node) {
  if (node.kind == DeckNode::Kind::list && node.items.size() > longest_list) return;
  auto const& items = node.items;
  if (!items.empty() && std::ranges::all_of(items, is_number_node)) {
    std::ranges::all_of(items, is_whole) ? write_list<std::int64_t>(writer, path, node)
                                         : write_list<double>(writer, path, node);
  } else if (is_number_node(node)) {
    double const value = number_of(node, path);
    if (is_whole(node))
      writer.set_attribute("/parameters", path, static_cast<std::int64_t>(value));
    else
      writer.set_attribute("/parameters", path, value);
  } else {
    writer.set_attribute("/parameters", path, yaml_text(node));
  }
}

void write_values(AtomicHdf5Writer& writer, std::string const& path, DeckNode const& node) {
  if (node.kind != DeckNode::Kind::map) return write_value(writer, path, node);
  for (auto const& entry : node.entries)
    write_values(writer, path.empty() ? entry.key : path + "." + entry.key, entry.value);
}

}  // namespace

Provenance::Provenance() : start_time_(utc_now()) {}

Phase Provenance::enter(Phase phase) {
  seconds_[position(phase_)] += running();
  since_ = Clock::now();
  return std::exchange(phase_, phase);
}

double Provenance::seconds(Phase phase) const {
  return seconds_[position(phase)] + (phase == phase_ ? running() : 0);
}

double Provenance::seconds_total() const {
  double total = running();
  for (double const seconds : seconds_) total += seconds;
  return total;
}

namespace {

/// Peaks of the devices; zeros for those that the meter was not told of.
std::vector<std::int64_t> padded_peaks(int num_devices) {
  auto const peaks = peak_bytes_by_device();
  std::vector<std::int64_t> padded(peaks.begin(), peaks.end());
  padded.resize(static_cast<std::size_t>(num_devices), 0);
  return padded;
}

}  // namespace

void write_provenance(AtomicHdf5Writer& writer, Provenance const& provenance) {
  auto const set = [&](char const* name, auto const& value) { writer.set_attribute("/provenance", name, value); };
  set("version", version());
  set("git_hash", git_hash());
  set("backend", backend_name());
  set("kokkos_version", kokkos_version());
  set("device_summary", provenance.device_summary);
  set("start_time", provenance.start_time());
  set("estimated_device_bytes", static_cast<std::int64_t>(provenance.estimated_device_bytes));
  set("estimated_host_bytes", static_cast<std::int64_t>(provenance.estimated_host_bytes));
  set("peak_host_bytes", static_cast<std::int64_t>(peak_host_bytes()));
  set("peak_device_bytes", padded_peaks(provenance.num_devices));
  set("seconds_read", provenance.seconds(Phase::read));
  set("seconds_setup", provenance.seconds(Phase::setup));
  set("seconds_compute", provenance.seconds(Phase::compute));
  set("seconds_write", provenance.seconds(Phase::write));
  set("seconds_total", provenance.seconds_total());
}

void write_parameters(AtomicHdf5Writer& writer, Deck const& deck) {
  std::string const resolved = deck.resolved();
  writer.set_attribute("/parameters", "deck", resolved);
  write_values(writer, "", parse_deck(resolved, "resolved deck"));
}

std::string bytes_text(double bytes) {
  constexpr std::array<char const*, 5> units = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  std::ostringstream stream;
  stream << std::fixed
         << std::setprecision(unit == 0     ? 0
                              : bytes < 10  ? 2
                              : bytes < 100 ? 1
                                            : 0)
         << bytes << ' ' << units[unit];
  return stream.str();
}

}  // namespace strata
