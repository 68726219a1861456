#include "core/base/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/base/log.hpp"

namespace strata {
namespace {

std::atomic<bool> bars_enabled = true;

/// Columns of the terminal; 80 when it does not say.
int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

std::string two_digits(long value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

}  // namespace

std::string short_duration(double seconds) {
  long const whole = std::lround(std::max(0.0, seconds));
  if (whole < 60) return text(whole, "s");
  if (whole < 3600) return text(whole / 60, "m", two_digits(whole % 60), "s");
  return text(whole / 3600, "h", two_digits(whole % 3600 / 60), "m");
}

std::string progress_line(std::string const& title, int done, int total, double seconds, std::string const& note,
                          int width) {
  constexpr int bar_length = 24;
  double const fraction = total > 0 ? std::clamp(double(done) / total, 0.0, 1.0) : 0.0;
  int const filled = int(std::lround(fraction * bar_length));
  std::string line =
      text(title, " [", std::string(filled, '#'), std::string(bar_length - filled, '.'), "] ", done, "/", total);
  if (done > 0 && done < total) line += text("  ", short_duration(seconds / done * (total - done)), " left");
  if (!note.empty()) line += "  " + note;
  if (int(line.size()) >= width) line.resize(width - 1);  // a wrapped line could not be rewritten
  return line;
}

Progress::Progress(std::string title, int total)
    : title_(std::move(title)), total_(total), visible_(bars_enabled && total > 0 && log::on_terminal()) {
  update(0);
}

Progress::~Progress() {
  finish();
}

void Progress::update(int done, std::string const& note) {
  done_ = done;
  if (!visible_) return;
  auto const now = Clock::now();
  bool const recent = now - last_drawn_ < std::chrono::milliseconds(50);
  if (recent && done < total_) return;  // drawing is slower than a short step
  last_drawn_ = now;
  double const seconds = std::chrono::duration<double>(now - start_).count();
  log::set_status_line(progress_line(title_, done_, total_, seconds, note, terminal_width()));
}

void Progress::finish() {
  if (visible_) log::set_status_line("");
  visible_ = false;
}

void Progress::set_enabled(bool enabled) {
  bars_enabled = enabled;
}

}  // namespace strata
