/// Projections and scans of the golden files, for the tests of all geometries.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit_tests/geometries/projector_fixture.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata::testing_support {

inline std::vector<int> integers(std::vector<double> const& values) {
  return {values.begin(), values.end()};
}
inline Values in_float(std::vector<double> const& values) {
  return {values.begin(), values.end()};
}

/// A number of the file's parameters.
inline double parameter(std::string const& file, std::string const& name) {
  return golden::attribute(file, "parameters", name).at(0);
}
/// 0 when the file has none of this name: not every geometry has all.
inline double parameter_or_zero(std::string const& file, std::string const& name) {
  return golden::has_attribute(file, "parameters", name) ? parameter(file, name) : 0;
}

/// Shapes, pitches and offsets that every geometry has.
template <class Params>
void read_common(std::string const& file, Params& p) {
  auto const sino = integers(golden::attribute(file, "parameters", "sinogram_shape"));
  auto const recon = integers(golden::attribute(file, "parameters", "recon_shape"));
  p.sinogram = {sino[0], sino[1], sino[2]};
  p.recon = {recon[0], recon[1], recon[2]};
  p.delta_det_channel = parameter(file, "delta_det_channel");
  p.delta_det_row = parameter(file, "delta_det_row");
  p.det_channel_offset = parameter(file, "det_channel_offset");
  p.delta_voxel = parameter(file, "delta_voxel");
  p.voxel_row_aspect = parameter(file, "voxel_row_aspect");
}

/// The pixels of the file's mask, in Z order.
inline std::vector<int> masked_pixels(std::string const& file, ReconShape const& recon) {
  auto const mask = golden::read(file, "parameters/ror_mask").values;
  std::vector<int> pixels;
  for (std::size_t p = 0; p < mask.size(); ++p)
    if (mask[p] != 0) pixels.push_back(static_cast<int>(p));
  return z_order(pixels, recon.num_cols);
}

/// Rows of [pixel][slice] at `pixels`.
inline std::vector<double> rows_at(std::vector<double> const& volume, std::vector<int> const& pixels, int slices) {
  std::vector<double> rows;
  for (int const p : pixels)
    rows.insert(rows.end(), volume.begin() + Index(p) * slices, volume.begin() + (Index(p) + 1) * slices);
  return rows;
}

inline void expect_agreement(Values const& ours, std::vector<double> const& reference, char const* what) {
  EXPECT_LE(golden::nrmse(in_double(ours), reference), 2e-6) << what;
  EXPECT_LE(golden::max_relative(in_double(ours), reference), 1e-5) << what;
}

}  // namespace strata::testing_support
