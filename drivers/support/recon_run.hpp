/// Reconstructions of one scan, from deck to image.
#pragma once

#include <vector>

#include "core/solver/prepared_scan.hpp"
#include "core/solver/vcd_types.hpp"
#include "drivers/support/program.hpp"
#include "drivers/support/recon_job.hpp"

namespace strata {

struct ReconResult {
  ShardedVolume recon;
  std::vector<IterationStats> history;
  bool converged = false;  ///< the change fell below the threshold
};

/// Reads the sinogram, and weights where `with_weights`.
PreparedScan load_scan(ReconJob const& job, TomographyModel const& model, bool with_weights, ProgramContext& context);

/// Reconstructs. Logs a line each iteration. `last`: nobody needs the sinogram afterwards, so it may be overwritten.
ReconResult run_recon(ReconJob& job, PreparedScan& scan, bool last, ProgramContext& context);

}  // namespace strata
