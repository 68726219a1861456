/// Replays the recorded VCD runs of a golden case.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/solver/vcd_solver.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {

struct ReplayResult {
  std::map<int, std::vector<float>> recon;  ///< after as many iterations
  std::vector<IterationStats> stats;
};

struct ReplayOptions {
  int num_devices = 1;
  int max_passes = 1000;
  float padding = 0;  ///< written into all padding before the start when not 0
  /// Relative error of the reference's scale of its direct start image, see test_vcd_golden.cpp.
  double start_scale_error = 0;
};

/// Runs /runs/`run` in reference mode with its partitions and orders; keeps the images that the file has, and the last.
ReplayResult replay(CtCase const& golden, std::string const& run, ReplayOptions const& options = {});

}  // namespace strata::test
