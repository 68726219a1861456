#include "core/base/log.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>

#include "core/base/error.hpp"

namespace strata::log {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

struct Sink {
  std::mutex mutex;
  std::unique_ptr<std::FILE, CloseFile> file;
  std::string path;
  std::string status_line;
};

std::atomic<Level> threshold = Level::info;

Sink& sink() {
  static Sink instance;
  return instance;
}

std::string time_stamp(char const* format) {
  std::time_t const now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> buffer{};
  std::strftime(buffer.data(), buffer.size(), format, &parts);
  return buffer.data();
}

char const* prefix(Level level) {
  switch (level) {
    case Level::debug:
      return "debug: ";
    case Level::warn:
      return "warning: ";
    case Level::error:
      return "error: ";
    default:
      return "";
  }
}

void print(std::string const& bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stderr);
}

bool append(std::FILE* file, std::string const& line) {
  return std::fwrite(line.data(), 1, line.size(), file) == line.size() && std::fflush(file) == 0;
}

constexpr char const* clear_line = "\r\033[K";

}  // namespace

void set_level(Level level) {
  threshold = level;
}

Level level() {
  return threshold;
}

Level parse_level(std::string const& name) {
  if (name == "debug") return Level::debug;
  if (name == "info") return Level::info;
  if (name == "warn") return Level::warn;
  if (name == "error") return Level::error;
  if (name == "silent") return Level::silent;
  throw InputError(text("log level: expected debug, info, warn, error or silent, got '", name, "'"));
}

void open_file(std::string const& path) {
  std::lock_guard const lock(sink().mutex);
  sink().file.reset(std::fopen(path.c_str(), "w"));
  if (!sink().file) throw WriteError(text(path, ": cannot open the log file for writing: ", std::strerror(errno)));
  sink().path = path;
}

void close_file() {
  std::lock_guard const lock(sink().mutex);
  sink().file.reset();
}

void write(Level level, std::string const& message) {
  if (level < threshold) return;
  std::string const line = prefix(level) + message + "\n";
  std::lock_guard const lock(sink().mutex);
  std::string const clear = sink().status_line.empty() ? "" : clear_line;
  print(clear + "[" + time_stamp("%H:%M:%S") + "] " + line + sink().status_line);
  if (sink().file && !append(sink().file.get(), "[" + time_stamp("%Y-%m-%d %H:%M:%S") + "] " + line)) {
    print(clear_line + text("warning: ", sink().path, ": cannot write the log file: ", std::strerror(errno)) + "\n");
    sink().file.reset();
  }
}

bool on_terminal() {
  return isatty(STDERR_FILENO) != 0;
}

void set_status_line(std::string const& line) {
  if (!on_terminal()) return;
  std::lock_guard const lock(sink().mutex);
  if (line.empty() && sink().status_line.empty()) return;
  print(clear_line + line);
  std::fflush(stderr);
  sink().status_line = line;
}

}  // namespace strata::log
