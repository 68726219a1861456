/// Log lines: one time-stamped sink to stderr and, when opened, a file. Safe to call from any host thread.
#pragma once

#include <string>

#include "core/base/text.hpp"

namespace strata::log {

enum class Level { debug, info, warn, error, silent };

/// Lines below `level` are dropped, also from the file. The start value is info.
void set_level(Level level);
Level level();
/// \throws InputError for a name that is not debug, info, warn, error or silent.
Level parse_level(std::string const& name);

/// Copies every line from now on to `path`, which is replaced. \throws WriteError when it cannot be opened.
void open_file(std::string const& path);
void close_file();

/// Writes one line. A file that cannot be written any more (disk full) is closed with a warning; the run goes on.
void write(Level level, std::string const& message);

/// The line below the log lines of a terminal, kept there while log lines scroll by; empty: none. Not copied to the
/// file. Ignored when stderr is no terminal.
void set_status_line(std::string const& line);
/// True when stderr is a terminal.
bool on_terminal();

template <class... Parts>
void debug(Parts const&... parts) {
  if (level() <= Level::debug) write(Level::debug, text(parts...));
}

template <class... Parts>
void info(Parts const&... parts) {
  if (level() <= Level::info) write(Level::info, text(parts...));
}

template <class... Parts>
void warn(Parts const&... parts) {
  if (level() <= Level::warn) write(Level::warn, text(parts...));
}

template <class... Parts>
void error(Parts const&... parts) {
  if (level() <= Level::error) write(Level::error, text(parts...));
}

}  // namespace strata::log
