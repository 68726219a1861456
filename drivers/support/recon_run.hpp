/// A reconstruction from deck to image.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/model/memory_plan.hpp"
#include "core/model/tomography_model.hpp"
#include "drivers/support/inputs.hpp"
#include "drivers/support/program.hpp"
#include "drivers/support/recon_settings.hpp"

namespace strata {

/// `input.initial_image`: absent (direct reconstruction), a number, or a dataset.
using InitialSource = std::variant<std::monostate, double, DatasetName>;

/// Everything that the deck says about a reconstruction, read and checked before anything is allocated.
struct ReconJob {
  DatasetName sinogram;
  WeightsSource weights;
  InitialSource initial;
  std::optional<DatasetName> prox_input;
  ReconSettings settings;
  std::shared_ptr<Geometry const> geometry;
  std::vector<bool> mask;
};

/// \throws InputError for anything that is wrong with the deck or the shapes of its files.
ReconJob read_recon_job(Deck const& deck);

/// What the job will allocate on `devices`.
MemoryPlan plan_memory(ReconJob const& job, Devices const& devices);

struct ReconResult {
  ShardedVolume recon;
  std::vector<IterationStats> history;
  bool converged = false;  ///< the change fell below the threshold
};

/// Reads the data and reconstructs. Logs a line each iteration.
ReconResult run_recon(ReconJob& job, TomographyModel const& model, ProgramContext& context);

}  // namespace strata
