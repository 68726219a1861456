/// A progress bar with time left.
#pragma once

#include <chrono>
#include <string>

namespace strata {

/// On a terminal: one rewritten line below the log. Otherwise silent; the caller logs one plain line a step. Only one
/// bar is shown at a time.
class Progress {
 public:
  /// `total` steps; 0 shows no bar.
  Progress(std::string title, int total);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  /// `done` steps are complete; `note` is appended to the line.
  void update(int done, std::string const& note = "");
  /// One more step is complete.
  void step(std::string const& note = "") { update(done_ + 1, note); }
  /// Removes the line.
  void finish();

  /// For --no-progress: bars made later are silent.
  static void set_enabled(bool enabled);

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  int total_;
  int done_ = 0;
  bool visible_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_drawn_{};
};

/// The text of a bar, `width` columns at most: title, bar, done/total, time left (from the mean time of a step), note.
std::string progress_line(std::string const& title, int done, int total, double seconds, std::string const& note,
                          int width);

/// For example 42s, 3m05s, 2h07m.
std::string short_duration(double seconds);

}  // namespace strata
