/// Where a result comes from: what ran, when, on what, how long, with how much memory.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "core/base/types.hpp"
#include "core/io/deck.hpp"
#include "core/io/hdf5_writer.hpp"

namespace strata {

enum class Phase { setup, read, compute, write };

/// Clocks of a run. Exactly one phase runs at any time, so that the phases add up to the total; it begins with setup.
/// For one thread.
class Provenance {
 public:
  Provenance();

  /// Ends the running phase and begins `phase`. Returns the one that ran.
  Phase enter(Phase phase);
  /// So far.
  double seconds(Phase phase) const;
  double seconds_total() const;
  /// UTC, ISO 8601, for example 2024-05-06T07:08:09Z.
  std::string const& start_time() const { return start_time_; }

  std::string device_summary = "host";
  int num_devices = 1;
  Index estimated_device_bytes = 0;  ///< of the fullest device, from the plan of a run
  Index estimated_host_bytes = 0;    ///< of the whole process

 private:
  using Clock = std::chrono::steady_clock;
  double running() const { return std::chrono::duration<double>(Clock::now() - since_).count(); }

  std::string start_time_;
  Clock::time_point since_ = Clock::now();
  Phase phase_ = Phase::setup;
  std::array<double, 4> seconds_{};
};

/// A phase for the length of a scope; the one that ran before goes on after it.
class PhaseTimer {
 public:
  PhaseTimer(Provenance& provenance, Phase phase) : provenance_(provenance), outer_(provenance.enter(phase)) {}
  ~PhaseTimer() { provenance_.enter(outer_); }
  PhaseTimer(PhaseTimer const&) = delete;
  PhaseTimer& operator=(PhaseTimer const&) = delete;

 private:
  Provenance& provenance_;
  Phase outer_;
};

/// The attributes of /provenance. To be called last: seconds_write cannot count what comes later.
void write_provenance(AtomicHdf5Writer& writer, Provenance const& provenance);

/// The attributes of /parameters: one for each value of the resolved deck, named by its path; numbers and lists of
/// numbers as such, anything else as YAML text. Lists of more than 4000 numbers are in `deck` only, the whole resolved
/// deck.
void write_parameters(AtomicHdf5Writer& writer, Deck const& deck);

/// For example 512 bytes, 1.50 GB (10^9).
std::string bytes_text(double bytes);

}  // namespace strata
