/// The frame of every program: options, deck, Kokkos, log, interruption, exit status.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/deck.hpp"
#include "core/placement/device_set.hpp"
#include "drivers/support/program_options.hpp"
#include "drivers/support/provenance.hpp"

namespace strata {

/// Where results go, from section `output` of the deck.
struct OutputOptions {
  std::string file;
  std::string log;
  bool previews = false;
};

/// When a checkpoint is due, from `output.checkpoint`; both absent: never.
struct CheckpointOptions {
  std::optional<int> every_iterations;
  std::optional<double> every_minutes;
  bool enabled() const { return every_iterations || every_minutes; }
};

/// What a program works with. Reads the sections `devices` and `output`; the rest of the deck is the program's.
class ProgramContext {
 public:
  ProgramContext(ProgramInfo const& info, ProgramOptions const& options);

  Deck const& deck() const;
  OutputOptions const& output() const { return output_; }
  CheckpointOptions const& checkpoint() const { return checkpoint_; }
  /// True: print geometry, shapes and memory, then stop.
  bool check_only() const { return options_.check; }
  bool resume() const { return options_.resume; }
  Provenance& provenance() { return provenance_; }

  /// The devices asked for; enters them into the provenance. \throws InputError when this machine has not got them.
  Devices make_devices();
  /// Per device, for planning; nothing: what is free.
  std::optional<Index> memory_limit_bytes() const { return memory_limit_; }

  /// \throws InputError when `path` is the output or the log file, which would be overwritten.
  void require_not_output(std::string const& path) const;

  /// To be called when every key that the program knows was read, before any long work: refuses unknown keys, and an
  /// output or log that is the deck or a file that the deck names as input; unless only checking, checks that the
  /// output can be written and opens the log file. That file stays when the run fails.
  void start_run();
  /// As `PhaseTimer timer(context.provenance(), phase)`.
  PhaseTimer time(Phase phase) { return PhaseTimer(provenance_, phase); }

  /// Writes /parameters and /provenance, the last things before commit().
  void write_provenance(AtomicHdf5Writer& writer) const;
  /// One log line: seconds by phase and peak memory.
  void log_summary() const;

 private:
  void read_devices();
  void read_output();

  ProgramInfo const& info_;
  ProgramOptions const& options_;
  std::optional<Deck> deck_;
  DeviceRequest devices_;
  std::optional<Index> memory_limit_;
  OutputOptions output_;
  CheckpointOptions checkpoint_;
  Provenance provenance_;
};

using ProgramBody = std::function<void(ProgramContext&)>;

/// main() of a program: `int main(int argc, char** argv) { return strata::run_program(argc, argv, info, body); }`.
/// What `body` throws becomes one error line and the exit status of the error.
int run_program(int argc, char** argv, ProgramInfo const& info, ProgramBody const& body);

}  // namespace strata
