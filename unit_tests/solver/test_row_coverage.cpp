/// normalise_coverage() against the sums it stands for, voxel by voxel in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "core/solver/redundancy_weights.hpp"
#include "core/solver/row_coverage.hpp"
#include "geometries/cone_scan.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

using std::numbers::pi;

struct CoverageCase {
  std::string name;
  ConeScanParams scan;
  double mask_radius = 1e9;  ///< pixels
};

/// Detector rows see 8.25 of 11 slices of 1 ALU at the axis.
ConeScanParams scan_of(double turn, int views, int slices) {
  ConeScanParams scan;
  scan.common.sinogram = {views, 11, 48};
  scan.common.recon = {23, 26, slices};
  scan.common.delta_voxel = 1;
  scan.source_detector_dist = 160;
  scan.source_iso_dist = 120;
  for (int v = 0; v < views; ++v) scan.angles.push_back(turn * v / views);
  return scan;
}

std::vector<CoverageCase> cases() {
  std::vector<CoverageCase> all;
  all.push_back({"circle", scan_of(2 * pi, 40, 11)});
  all.push_back({"few pixels", all[0].scan, 9});
  all.push_back({"one row, tall voxels", all[0].scan});
  all.back().scan.common.sinogram.num_det_rows = 1;
  all.back().scan.common.voxel_slice_aspect = 3;
  all.push_back({"flat voxels, many slices", scan_of(2 * pi, 24, 150)});
  all.back().scan.common.voxel_slice_aspect = 0.08;
  all.push_back({"curved, rows off the middle", all[0].scan});
  all.back().scan.use_curved_detector = true;
  all.back().scan.common.det_row_offset = 9;
  all.push_back({"short scan of a curved detector", scan_of(220 * pi / 180, 30, 14)});
  all.back().scan.use_curved_detector = true;
  all.push_back({"displaced detector", scan_of(2 * pi, 40, 14)});
  all.back().scan.common.det_channel_offset = -8.83;  // no ray half-way between channels
  all.push_back({"helix", scan_of(6 * pi, 60, 30)});
  for (int v = 0; v < 60; ++v) all.back().scan.helical_z_shifts.push_back(0.4 * (v - 29.5));
  all.push_back({"parallel rays", scan_of(2 * pi, 12, 20)});
  all.back().scan.source_detector_dist = all.back().scan.source_iso_dist = std::numeric_limits<double>::infinity();
  return all;
}

/// [row][col][slice] what a volume of ones becomes.
std::vector<double> expected(RowFan const& fan, GeometryParams const& p, std::vector<float> const& weights, Range whole,
                             std::vector<bool> const& mask) {
  int const channels = p.sinogram.num_det_channels, slices = p.recon.num_slices;
  bool const parallel = std::isinf(fan.source_iso_dist);
  double const pitch = p.voxel_slice_aspect * p.delta_voxel;
  std::vector<double> result;
  for (int pixel = 0; pixel < p.recon.num_pixels(); ++pixel)
    for (int k = 0; k < slices; ++k) {
      double const x0 = p.delta_voxel * (pixel % p.recon.num_cols - (p.recon.num_cols - 1) / 2.0);
      double const y0 = p.delta_voxel * (pixel / p.recon.num_cols - (p.recon.num_rows - 1) / 2.0);
      double const z = p.recon_slice_offset + pitch * (k - (slices - 1) / 2.0);
      double total = 0, seen = 0;
      for (std::size_t v = 0; v < fan.angles.size(); ++v) {
        double const x = std::cos(fan.angles[v]) * x0 - std::sin(fan.angles[v]) * y0;
        double const y = fan.source_iso_dist - std::sin(fan.angles[v]) * x0 - std::cos(fan.angles[v]) * y0;
        double const q = parallel ? 1 : (fan.curved ? std::hypot(x, y) : y) / fan.source_iso_dist;
        double const across = parallel ? x : fan.source_iso_dist * (fan.curved ? std::atan2(x, y) : x / y);
        double weight = parallel ? 1 : y / (x * x + y * y);
        if (!weights.empty()) {
          double const channel = std::floor(fan.middle_channel + across / fan.channel_pitch + 0.5);
          weight *= weights[v * channels + static_cast<std::size_t>(std::clamp(channel, 0.0, channels - 1.0))];
        }
        double const low = std::max(z - pitch / 2, fan.low * q + fan.z_shifts[v]);
        double const high = std::min(z + pitch / 2, fan.high * q + fan.z_shifts[v]);
        total += weight;
        seen += weight * std::max(0.0, high - low) / pitch;
      }
      bool const touched = mask[pixel] && (k < whole.begin || k >= whole.end);
      result.push_back(!touched ? 1 : (seen > 1e-3 * total ? total / seen : 0));
    }
  return result;
}

std::vector<float> normalised(CoverageCase const& c, std::vector<bool> const& mask, std::vector<float> const& weights,
                              Range whole, int num_devices) {
  auto const geometry = make_cone_scan(c.scan);
  TomographyModel const model(DeviceSet::virtual_devices(num_devices), geometry, mask);
  auto const volume = model.make_volume("test::ones");
  from_host(model, std::vector<float>(static_cast<std::size_t>(model.recon_shape().size()), 1), volume);
  normalise_coverage(model, geometry->row_fan(), weights, whole, volume);
  return to_host(model, volume);
}

TEST(RowCoverage, ScalesEachVoxelByTheShareOfDirectionsThatSeeIt) {
  for (auto const& c : cases()) {
    SCOPED_TRACE(c.name);
    auto const geometry = make_cone_scan(c.scan);
    GeometryParams const& p = geometry->params();
    RowFan const fan = geometry->row_fan();
    auto const weights = redundancy_weights(geometry->ray_fan()).view_weights;
    std::vector<bool> mask;
    for (int i = 0; i < p.recon.num_rows; ++i)
      for (int j = 0; j < p.recon.num_cols; ++j)
        mask.push_back(std::hypot(i - (p.recon.num_rows - 1) / 2.0, j - (p.recon.num_cols - 1) / 2.0) < c.mask_radius);
    Range const whole = row_coverage(fan, p, std::min(18.0, c.mask_radius)).whole;
    auto const found = normalised(c, mask, weights, whole, 1);
    auto const wanted = expected(fan, p, weights, whole, mask);
    ASSERT_EQ(found.size(), wanted.size());
    std::size_t changed = 0, wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      changed += wanted[i] != 1;
      wrong += std::abs(found[i] - wanted[i]) > 1e-6 * wanted[i];
    }
    EXPECT_GT(changed, found.size() / 20);
    EXPECT_EQ(wrong, 0U) << "of " << found.size();
    for (int const devices : {2, 5}) EXPECT_EQ(normalised(c, mask, weights, whole, devices), found) << devices;
  }
}

}  // namespace
}  // namespace strata::test
