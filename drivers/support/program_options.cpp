#include "drivers/support/program_options.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "core/base/error.hpp"
#include "core/base/nearest.hpp"
#include "core/base/progress.hpp"
#include "core/base/version.hpp"

namespace strata {
namespace {

/// A text in YAML's double quotes.
std::string quoted(std::string const& value) {
  std::string result = "\"";
  for (char const c : value) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

bool is_number(std::string const& value) {
  return !value.empty() && value.size() < 10 && value.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<std::string> long_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (auto const* option : app.get_options())
    for (auto const& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The sentence for an argument that nobody knows.
[[noreturn]] void fail_unknown(CLI::App const& app, std::string const& argument) {
  if (!argument.starts_with('-')) throw InputError(text("unexpected argument '", argument, "', see --help"));
  std::string const name = argument.substr(0, argument.find('='));
  throw InputError(text("unknown option '", name, "', ", suggestion(name, long_names(app))));
}

/// Values as they stand on the command line.
struct RawOptions {
  std::string log_level = "info";
  std::string output;
  std::string devices;
  bool no_progress = false;
};

void add_deck_options(CLI::App& app, ProgramInfo const& info, ProgramOptions& options, RawOptions& raw) {
  app.add_option("DECK", options.deck, "YAML file that describes the run");
  app.add_option("--set", options.overrides, "section.key=value: replaces a value of the deck; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--output", raw.output, "file to write; replaces output.file of the deck");
  app.add_option("--devices", raw.devices, "auto, a number, a list of indices such as 0,2, or none for the host");
  app.add_flag("--check", options.check, "read the deck, print shapes and memory, then stop");
  if (info.resumable) app.add_flag("--resume", options.resume, "go on from the checkpoint of an interrupted run");
  app.add_flag("--no-progress", raw.no_progress, "no progress bar");
}

void parse(CLI::App& app, int argc, char const* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (CLI::Success const&) {
    throw;
  } catch (CLI::ParseError const& error) {
    throw InputError(text(error.what(), ", see --help"));
  }
  auto const extra = app.remaining();
  if (!extra.empty()) fail_unknown(app, extra.front());
}

}  // namespace

std::string devices_override(std::string const& value) {
  if (value == "auto" || value == "none" || is_number(value)) return "devices.use=" + value;
  std::istringstream stream(value);
  std::string item;
  bool good = value.find(',') != std::string::npos;
  while (std::getline(stream, item, ',')) good = good && is_number(item);
  require(good, "--devices: expected auto, none, a number or a list such as 0,2, got '", value, "'");
  return "devices.use=[" + value + "]";
}

std::string output_override(std::string const& path) {
  require(!path.empty(), "--output: expected a file name, got an empty text");
  return "output.file=" + quoted(std::filesystem::absolute(path).lexically_normal().string());
}

std::optional<ProgramOptions> parse_options(int argc, char const* const* argv, ProgramInfo const& info) {
  CLI::App app(info.summary, info.name);
  ProgramOptions options;
  RawOptions raw;
  app.allow_extras();
  app.set_version_flag("--version", text(info.name, " ", version(), " (", git_hash(), ", ", backend_name(), ")"));
  if (info.takes_deck) add_deck_options(app, info, options, raw);
  if (info.add_options) info.add_options(app);
  app.add_option("--log-level", raw.log_level, "debug, info, warn, error or silent");
  try {
    parse(app, argc, argv);
  } catch (CLI::Success const& request) {
    app.exit(request, std::cout, std::cerr);
    return std::nullopt;
  }
  log::set_level(log::parse_level(raw.log_level));
  Progress::set_enabled(!raw.no_progress);
  if (!info.takes_deck) return options;
  require(!options.deck.empty(), "expected a deck, ", info.name, " DECK.yaml, see --help");
  if (app.count("--devices") > 0) options.overrides.push_back(devices_override(raw.devices));
  if (app.count("--output") > 0) options.overrides.push_back(output_override(raw.output));
  return options;
}

}  // namespace strata
