#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "core/base/log.hpp"
#include "core/base/version.hpp"
#include "core/io/atomic_path.hpp"
#include "core/io/deck_node.hpp"
#include "drivers/support/memory_meter.hpp"
#include "drivers/support/program.hpp"

namespace strata {
namespace {

std::string lower(std::string value) {
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return value;
}

/// One deck may serve several programs: what belongs to the others is let pass.
void allow_foreign_keys(Deck const& deck, ProgramInfo const& info) {
  auto const is_mine = [](std::vector<std::string> const& mine, std::string const& key) {
    return std::ranges::find(mine, key) != mine.end();
  };
  for (char const* name :
       {"geometry", "reconstruction", "reconstructions", "denoise", "project", "simulate", "preprocess"})
    if (!is_mine(info.sections, name)) deck.root().allow(name);
  auto const input = deck.section("input");
  for (char const* key : {"sinogram", "weights", "initial_image", "prox_input", "image", "scan", "line_integrals",
                          "projections", "flats", "darks", "angles"})
    if (!is_mine(info.inputs, key)) input.allow(key);
}

/// The files that a resolved deck names outside section `output`.
void collect_files(DeckNode const& node, std::vector<std::string>& files) {
  for (auto const& entry : node.entries) {
    bool const is_file = entry.key == "file" || entry.key == "scan";
    if (is_file && entry.value.kind == DeckNode::Kind::scalar) files.push_back(entry.value.scalar);
    if (entry.key != "output") collect_files(entry.value, files);
  }
}

bool same_file(std::string const& a, std::string const& b) {
  std::error_code unknown;
  return std::filesystem::equivalent(a, b, unknown);
}

/// Virtual devices are threads with buffers of their own; more than this is a slip of the pen.
constexpr int most_devices = 256;

}  // namespace

ProgramContext::ProgramContext(ProgramInfo const& info, ProgramOptions const& options)
    : info_(info), options_(options), resume_(options.resume) {
  if (!info.takes_deck) return;
  deck_ = Deck::load(options.deck, options.overrides);
  allow_foreign_keys(*deck_, info);
  read_devices();
  read_output();
}

ProgramContext ProgramContext::with_deck(Deck const& deck) const {
  ProgramContext other = *this;
  other.deck_ = deck;
  other.output_ = {};
  other.checkpoint_ = {};
  allow_foreign_keys(deck, info_);
  other.read_devices();
  other.read_output();
  other.output_.log = output_.log;
  deck.section("output").record("log", std::filesystem::absolute(output_.log).string());
  return other;
}

Deck const& ProgramContext::deck() const {
  ensure(deck_.has_value(), info_.name, " takes no deck");
  return *deck_;
}

void ProgramContext::read_devices() {
  auto const devices = deck_->section("devices");
  auto const backend = devices.choice("backend", {"auto", "cuda", "hip", "openmp", "serial"}, "auto");
  if (backend != "auto" && backend != lower(backend_name()))
    devices.fail("backend", text("expected auto or ", lower(backend_name()), ", which this build has, got ", backend));
  switch (devices.kind("use")) {
    case DeckSection::Kind::number:
      devices_ = {DeviceRequest::Kind::count, devices.require<int>("use"), {}};
      if (devices_.count < 1) devices.fail("use", text("expected at least one device, got ", devices_.count));
      if (devices_.count > most_devices)
        devices.fail("use", text("expected at most ", most_devices, " devices, got ", devices_.count));
      break;
    case DeckSection::Kind::list:
      devices_ = {DeviceRequest::Kind::indices, 0, devices.require<std::vector<int>>("use")};
      break;
    default:
      if (devices.choice("use", {"auto", "none"}, "auto") == "none") devices_.kind = DeviceRequest::Kind::host;
  }
  auto const exchange = devices.choice("exchange", {"auto", "cylinders", "bands"}, "auto");
  devices_.exchange = exchange == "bands"       ? ExchangeForm::bands
                      : exchange == "cylinders" ? ExchangeForm::cylinders
                                                : ExchangeForm::automatic;
  auto const limit = devices.find<double>("memory_limit_gb");
  if (limit && !(*limit > 0)) devices.fail("memory_limit_gb", text("expected more than 0, got ", *limit));
  if (limit) memory_limit_ = static_cast<Index>(*limit * 1e9);
}

void ProgramContext::read_output() {
  auto const output = deck_->section("output");
  output_.file = output.get_path("file", info_.default_output);
  auto const log = output.find_path("log");
  output_.log = log ? *log : std::filesystem::path(output_.file).replace_extension(".log").string();
  if (!log) output.record("log", std::filesystem::absolute(output_.log).string());
  if (output_.log == output_.file) output.fail("log", "expected another name than that of the output file");
  output_.previews = output.get("previews", false);
  if (!info_.resumable) return output.allow("checkpoint");
  auto const checkpoint = output.section("checkpoint");
  checkpoint_.every_iterations = checkpoint.find<int>("every_iterations");
  checkpoint_.every_minutes = checkpoint.find<double>("every_minutes");
  if (checkpoint_.every_iterations && *checkpoint_.every_iterations < 1)
    checkpoint.fail("every_iterations", text("expected at least 1, got ", *checkpoint_.every_iterations));
  if (checkpoint_.every_minutes && !(*checkpoint_.every_minutes > 0))
    checkpoint.fail("every_minutes", text("expected more than 0, got ", *checkpoint_.every_minutes));
}

Devices ProgramContext::make_devices() {
  return noted(DeviceSet::create(devices_));
}

Devices ProgramContext::make_devices(DeviceWork const& work) {
  return noted(DeviceSet::create(devices_, work));
}

Devices ProgramContext::noted(Devices devices) {
  provenance_.device_summary = devices->summary();
  provenance_.num_devices = devices->size();
  meter_devices(devices);
  return devices;
}

void ProgramContext::require_not_output(std::string const& path) const {
  require(!same_file(path, output_.file), output_.file,
          ": the output would replace an input of this run, give another output.file");
  require(!same_file(path, output_.log), output_.log,
          ": the log would replace an input of this run, give another output.log");
}

void ProgramContext::start_run() {
  check_run();
  if (options_.check) return;
  log::open_file(output_.log);
  log::info(info_.name, " ", version(), " (", git_hash(), ", Kokkos ", kokkos_version(), ") on ",
            provenance_.device_summary);
}

void ProgramContext::check_run() const {
  deck().reject_unread();
  std::vector<std::string> files{deck().file()};
  collect_files(parse_deck(deck().resolved(), "resolved deck"), files);
  for (auto const& file : files) require_not_output(file);
  if (!options_.check) check_writable(output_.file);
}

void ProgramContext::write_provenance(AtomicHdf5Writer& writer) const {
  write_parameters(writer, deck());
  strata::write_provenance(writer, provenance_);
}

void ProgramContext::log_summary() const {
  log::info("done in ", provenance_.seconds_total(), " s (setup ", provenance_.seconds(Phase::setup), ", read ",
            provenance_.seconds(Phase::read), ", compute ", provenance_.seconds(Phase::compute), ", write ",
            provenance_.seconds(Phase::write), "); peak memory ", bytes_text(double(peak_host_bytes())), " host, ",
            bytes_text(double(peak_device_bytes())), " devices");
  if (provenance_.estimated_device_bytes == 0) return;
  auto const peaks = peak_bytes_by_device();
  auto const compare = [](char const* what, Index estimated, Index measured) {
    return text(what, ": estimated ", bytes_text(double(estimated)), ", measured ", bytes_text(double(measured)),
                ", ratio ", std::round(1000.0 * double(measured) / double(estimated)) / 1000);
  };
  log::info("memory, ", compare("fullest device", provenance_.estimated_device_bytes, *std::ranges::max_element(peaks)),
            "; ", compare("host", provenance_.estimated_host_bytes, peak_host_bytes()));
}

}  // namespace strata
