/// Scans that keep a GPU busy, and what is reconstructed from them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/model/tomography_model.hpp"
#include "core/placement/instances.hpp"

/// Ends a test on hosts.
#define STRATA_SKIP_WITHOUT_GPU() \
  if (strata::is_host_back_end()) \
  GTEST_SKIP() << "shows something on GPUs alone; this build is for " << strata::back_end_name()

namespace strata::test {

enum class Beam { parallel, cone };

/// Thousands of teams, lists of several parts, cylinders of several windows of rows.
std::shared_ptr<Geometry const> gpu_scan(Beam beam);

/// Model of gpu_scan() with the ellipse as its mask, on `num_devices` devices: streams where there are fewer GPUs.
std::unique_ptr<TomographyModel> gpu_model(Beam beam, int num_devices);

/// Numbers in [0, 1), the same in every run.
std::vector<float> gpu_sinogram(SinogramShape const& shape);

/// All operators, direct reconstruction and two passes of VCD with weights: their images and sinograms, one after the
/// other.
std::vector<float> run_everything(TomographyModel const& model);

}  // namespace strata::test
