/// Small reconstructions of golden scans with the options of the test.
#pragma once

#include <cmath>
#include <optional>

#include "core/solver/vcd_schedule.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {

struct AcceleratedRun {
  char const* scan = "parallel_basic";
  VCDOptions options = {};  ///< sigma_y is filled in
  int passes = 10;
  int num_devices = 1;
  std::vector<int> granularity = {4, 16, 32};
  std::vector<int> sequence = {0, 1, 2};
  float padding = 0;           ///< written into all padding before the start when not 0
  bool keep_sinogram = false;  ///< so that the error can be computed anew
};

struct AcceleratedResult {
  std::vector<IterationStats> history;
  std::vector<float> recon;
  std::vector<float> error;        ///< w (y - A x) as the run leaves it
  std::vector<float> fresh_error;  ///< computed from the image
  double last_objective = 0;       ///< of the image as the run leaves it
};

AcceleratedResult run(AcceleratedRun const& setting);

/// 1 / (2 sigma_y^2) sum w e^2 + prior, all from the image.
double objective_of(TomographyModel const& model, Prior const& prior, double sigma_y, ShardedVolume const& recon,
                    ShardedSinogram const& weighted_error, ShardedSinogram const* weights);

}  // namespace strata::test
