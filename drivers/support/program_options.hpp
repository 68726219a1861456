/// Options of the command line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/log.hpp"

namespace CLI {
class App;
}

namespace strata {

/// What a program is.
struct ProgramInfo {
  std::string name = {};
  std::string summary = {};
  bool takes_deck = true;
  bool uses_devices = true;                ///< false: Kokkos is not started, which saves its start-up time
  bool resumable = false;                  ///< has --resume
  std::string default_output = {};         ///< output.file when the deck has none, in the deck's folder
  std::vector<std::string> sections = {};  ///< of the deck, that it reads besides devices, output
  std::vector<std::string> inputs = {};    ///< keys of section `input` that it reads
  /// Adds options of this program alone.
  std::function<void(CLI::App&)> add_options = {};
};

struct ProgramOptions {
  std::string deck;
  std::vector<std::string> overrides;  ///< `section.key=value`, from --set, --devices and --output
  bool check = false;
  bool resume = false;
};

/// Parses the command line and sets log level and progress bars. Nothing when --help or --version was asked for and
/// printed. \throws InputError for options that are wrong.
std::optional<ProgramOptions> parse_options(int argc, char const* const* argv, ProgramInfo const& info);

/// The override for `--devices`: auto, none, N or i,j,... \throws InputError for anything else.
std::string devices_override(std::string const& value);
/// The override for `--output`, relative to the current folder.
std::string output_override(std::string const& path);

}  // namespace strata
