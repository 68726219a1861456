/// Checkpoints of iterative runs: the image and the history, from which a run goes on.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/solver/vcd_types.hpp"
#include "drivers/support/image_grid.hpp"
#include "drivers/support/program.hpp"

namespace strata {

/// What a run goes on from.
struct RunState {
  ShardedVolume const& recon;
  std::vector<IterationStats> const& history;
  std::vector<ShardedVolume> steps = {};  ///< VCDReconstruction::earlier_steps()
};

class Checkpoint {
 public:
  /// `deck`: the resolved deck of the run, for whoever writes checkpoints or resumes from one.
  Checkpoint(CheckpointOptions const& options, std::string const& output_file, std::string deck = {});

  std::string const& file() const { return file_; }
  /// Writes one when it is due after `iterations` passes, or when `force` is set and checkpoints are on.
  void write_if_due(ImageGrid const& grid, RunState const& state, std::uint32_t seed, bool force = false);
  /// Reads the image into `recon` and returns the history. \throws InputError when there is no checkpoint, or it is of
  /// another run (shape, seed). Warns of each value of the deck that has changed and decides the result.
  std::vector<IterationStats> resume(ImageGrid const& grid, ShardedVolume const& recon, std::uint32_t seed) const;
  /// How many steps the checkpoint holds, and one of them.
  int num_steps() const;
  void read_step(int step, int num_cols, ShardedVolume const& volume) const;
  /// The run is complete: removes the file.
  void remove() const;

 private:
  CheckpointOptions options_;
  std::string file_, deck_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace strata
