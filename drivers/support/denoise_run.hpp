/// Denoising from files to the image.
#pragma once

#include <vector>

#include "core/solver/vcd_types.hpp"
#include "drivers/support/denoise_job.hpp"
#include "drivers/support/program.hpp"

namespace strata {

struct DenoiseResult {
  ShardedVolume recon;
  std::vector<IterationStats> history;
  bool converged = false;  ///< the change fell below the threshold
};

/// Reads the data and denoises. Logs a line each iteration. \throws InputError when a scale cannot be chosen.
DenoiseResult run_denoise(DenoiseJob& job, Placement const& slices, ProgramContext& context);

}  // namespace strata
