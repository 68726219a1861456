/// A row of the table of speeds: one operator on one scan.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/suite/measure.hpp"
#include "core/io/hdf5_writer.hpp"
#include "core/model/geometry.hpp"

namespace strata::bench {

enum class Region {
  all,     ///< every pixel
  ellipse  ///< the default mask
};

/// What is scanned and how. Lengths in ALU. Another geometry is another `make`, see scans.hpp.
struct Scan {
  std::string name;
  SinogramShape sinogram;
  ReconShape recon;
  Region region = Region::all;
  std::shared_ptr<Geometry const> (*make)(Scan const&) = nullptr;
  double fma_per_update = 2;  ///< multiply-adds that one voxel-view update cannot do without
  double delta_voxel = 1;
  double source_detector_dist = 0;  ///< 0: rays are parallel
  double source_iso_dist = 0;
  bool reference_mode = false;  ///< weights, filters and updates as the reference has them
};

struct RunOptions {
  int repeat = 5;
  AtomicHdf5Writer* answers = nullptr;  ///< where inputs and answers go, for comparisons; null: nowhere
};

struct RowResult {
  std::string devices;  ///< for example `2 x OpenMP (1 thread)`
  Timing time;
  double work = 0;         ///< of one call, in units of `unit`
  std::string unit;        ///< voxel-view updates, voxels or samples
  double fma = 0;          ///< multiply-adds of one call that count as useful; 0: not held against the peak
  double bytes = 0;        ///< bytes that one call has to move; 0: not held against the peak
  Index device_bytes = 0;  ///< peak of all devices while the row ran, inputs included
  Index host_bytes = 0;    ///< peak resident memory of the process while the row ran
  std::vector<std::pair<std::string, double>> details;
};

struct Row {
  std::string name;  ///< for example parallel/forward/256^3x256
  Scan scan;
  int devices = 1;
  RowResult (*run)(Row const&, RunOptions const&) = nullptr;
  bool reference_answers = false;  ///< answers for comparison are computed in reference mode, for the defaults differ
};

// All random operands are the same in every run.
RowResult run_forward(Row const& row, RunOptions const& options);
RowResult run_back(Row const& row, RunOptions const& options);
/// One random pixel in 16, one device only: what a visit of a VCD subset asks of the projector.
RowResult run_forward_subset(Row const& row, RunOptions const& options);
RowResult run_back_subset(Row const& row, RunOptions const& options);
RowResult run_filter(Row const& row, RunOptions const& options);
RowResult run_direct(Row const& row, RunOptions const& options);
/// QGGMRF gradient and surrogate curvature at all pixels; p 2, q 1.2, T 1.
RowResult run_prior(Row const& row, RunOptions const& options);
RowResult run_prior_subset(Row const& row, RunOptions const& options);
/// 10 passes of the denoiser over all voxels, from the noisy image; sigmas given.
RowResult run_denoise(Row const& row, RunOptions const& options);
/// From line integrals and transmission weights in memory to the image: scales, direct reconstruction, Hessian, 10
/// passes.
RowResult run_vcd(Row const& row, RunOptions const& options);

}  // namespace strata::bench
