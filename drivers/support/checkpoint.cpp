#include "drivers/support/checkpoint.hpp"

#include <filesystem>

#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/io/sharded_io.hpp"
#include "drivers/support/deck_changes.hpp"
#include "drivers/support/results.hpp"

namespace strata {
namespace {

std::string step_name(int step) {
  return text("/steps/step_", step);
}

}  // namespace

Checkpoint::Checkpoint(CheckpointOptions const& options, std::string const& output_file, std::string deck)
    : options_(options), file_(output_file + ".checkpoint"), deck_(std::move(deck)) {}

void Checkpoint::write_if_due(ImageGrid const& grid, RunState const& state, std::uint32_t seed, bool force) {
  auto const& history = state.history;
  if (!options_.enabled() || history.empty()) return;
  auto const now = std::chrono::steady_clock::now();
  bool const by_count = options_.every_iterations && static_cast<int>(history.size()) % *options_.every_iterations == 0;
  bool const by_time =
      options_.every_minutes && std::chrono::duration<double>(now - last_).count() >= 60 * *options_.every_minutes;
  if (!by_count && !by_time && !force) return;
  DeferInterrupts const until_written;
  AtomicHdf5Writer writer(file_);
  write_recon(writer, "/recon", grid, state.recon, false);
  for (std::size_t i = 0; i < state.steps.size(); ++i)
    write_recon(writer, step_name(static_cast<int>(i)), grid, state.steps[i], false);
  write_history(writer, history, true);
  writer.set_attribute("/", "seed", static_cast<std::int64_t>(seed));
  writer.set_attribute("/", "deck", deck_);
  writer.commit();
  last_ = now;
  log::debug("checkpoint after ", history.size(), " iterations: ", file_);
}

std::vector<IterationStats> Checkpoint::resume(ImageGrid const& grid, ShardedVolume const& recon,
                                               std::uint32_t seed) const {
  require(std::filesystem::exists(file_), "--resume: expected a checkpoint ", file_, ", there is none");
  Hdf5File const file(file_);
  auto const recorded = static_cast<std::uint32_t>(file.number_attribute("/", "seed"));
  require(recorded == seed, "--resume: ", file_, " was made with seed ", recorded, ", the deck says ", seed);
  // A checkpoint from before decks were kept in them has none.
  auto const former = file.has_attribute("/", "deck") ? file.string_attribute("/", "deck") : deck_;
  for (auto const& change : deck_changes(former, deck_))
    if (decides_result(change.path))
      log::warn("--resume: ", change.path, " is now ", change.now, ", ", file_, " was made with ", change.before);
  read_volume(file, "/recon", grid.shape.num_cols, recon);
  return read_history(file);
}

int Checkpoint::num_steps() const {
  Hdf5File const file(file_);
  int count = 0;
  while (file.has(step_name(count))) ++count;
  return count;
}

void Checkpoint::read_step(int step, int num_cols, ShardedVolume const& volume) const {
  read_volume(Hdf5File(file_), step_name(step), num_cols, volume);
}

void Checkpoint::remove() const {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace strata
