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
  bool resume() const { return resume_; }
  /// For runs with several results: whether this one goes on from a checkpoint.
  void set_resume(bool resume) { resume_ = resume; }
  Provenance& provenance() { return provenance_; }

  /// As this one for another deck of the same run: with its own output, and the log of this one.
  ProgramContext with_deck(Deck const& deck) const;

  /// The devices asked for; enters them into the provenance. \throws InputError when this machine has not got them.
  Devices make_devices();
  /// Where the user leaves the count to the program, as many as `work` is worth.
  Devices make_devices(DeviceWork const& work);
  /// Per device, for planning; nothing: what is free.
  std::optional<Index> memory_limit_bytes() const { return memory_limit_; }

  /// \throws InputError when `path` is the output or the log file, which would be overwritten.
  void require_not_output(std::string const& path) const;

  /// To be called when every key that the program knows was read, before any long work: refuses unknown keys, and an
  /// output or log that is the deck or a file that the deck names as input; unless only checking, checks that the
  /// output can be written and opens the log file. That file stays when the run fails.
  void start_run();
  /// The same without the log file.
  void check_run() const;
  /// As `PhaseTimer timer(context.provenance(), phase)`.
  PhaseTimer time(Phase phase) { return PhaseTimer(provenance_, phase); }

  /// Writes /parameters and /provenance, the last things before commit().
  void write_provenance(AtomicHdf5Writer& writer) const;
  /// One log line: seconds by phase and peak memory.
  void log_summary() const;

 private:
  void read_devices();
  void read_output();
  Devices noted(Devices devices);

  ProgramInfo const& info_;
  ProgramOptions const& options_;
  bool resume_;
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
