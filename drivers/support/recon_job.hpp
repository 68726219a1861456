/// What a deck says about a reconstruction, read and checked before anything is allocated.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/model/geometry.hpp"
#include "core/model/memory_plan.hpp"
#include "drivers/support/inputs.hpp"
#include "drivers/support/recon_settings.hpp"
#include "drivers/support/weights_source.hpp"

namespace strata {

/// `input.initial_image: prox_input`.
struct ProxInputAsImage {};

/// `input.initial_image`: absent (direct reconstruction), a number, a dataset or the prox input.
using InitialSource = std::variant<std::monostate, double, DatasetName, ProxInputAsImage>;

struct ReconJob {
  DatasetName sinogram;
  WeightsSource weights;
  InitialSource initial;
  std::optional<DatasetName> prox_input;
  ReconSettings settings;
  std::string coarse_start;  ///< why the run begins on coarse grids; empty: it does not
  std::shared_ptr<Geometry const> geometry;
  std::vector<bool> mask;
};

/// \throws InputError for anything that is wrong with the deck or the shapes of its files.
ReconJob read_recon_job(Deck const& deck);

/// True when input.prox_input is the prior's or the initial image.
bool needs_prox_input(ReconJob const& job);

/// True when the sinogram is needed beside the error sinogram: by later jobs (`last`: there are none), by
/// weights that follow the errors, by acceleration, which computes the error anew from time to time, or by a start on
/// coarse grids.
bool keeps_sinogram(ReconJob const& job, bool last);

/// What the jobs, one after the other on the same sinogram, will allocate on `devices`. `checkpoints`: some are
/// written.
MemoryPlan plan_memory(std::vector<ReconJob const*> const& jobs, Devices const& devices, bool checkpoints = false);

}  // namespace strata
