/// FDK where not every view sees all slices: volumes taller than the detector's view, and helices. Scans are exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>

#include "core/base/log.hpp"
#include "core/solver/direct_recon.hpp"
#include "core/solver/region_mask.hpp"
#include "core/solver/row_coverage.hpp"
#include "unit_tests/support/ct_case.hpp"
#include "unit_tests/support/line_integrals.hpp"

namespace strata::test {
namespace {

using std::numbers::pi;

/// Half fan 12 degrees, 11 detector rows of which 8.25 ALU are seen at the axis.
ConeScanParams tall_scan(double degrees, int views, int slices) {
  ConeScanParams scan;
  scan.common.sinogram = {views, 11, 64};
  scan.common.recon = {48, 48, slices};
  scan.common.delta_voxel = 0.75;
  scan.source_detector_dist = 160;
  scan.source_iso_dist = 120;
  for (int v = 0; v < views; ++v) scan.angles.push_back(degrees * pi / 180 * v / views);
  return scan;
}

/// [slice] mean and largest deviation from 1 of a rod's image, up to 80 % of its radius.
struct SliceErrors {
  std::vector<double> mean, worst;
};

SliceErrors errors(ConeScanParams const& scan, Rod const& rod, int num_devices = 1) {
  auto const geometry = make_cone_scan(scan);
  GeometryParams const& p = geometry->params();
  auto const mask = full_mask(p.recon.num_rows, p.recon.num_cols);
  TomographyModel const model(DeviceSet::virtual_devices(num_devices), geometry,
                              {mask.inside.begin(), mask.inside.end()});
  auto const sinogram = model.make_sinogram("test::sinogram");
  auto const volume = model.make_volume("test::recon");
  from_host(model, line_integrals(rod, p, rays_of(scan), 2), sinogram);
  direct_recon(model, sinogram, sinogram, volume);
  auto const image = to_host(model, volume);
  int const slices = p.recon.num_slices;
  SliceErrors result{std::vector<double>(slices), std::vector<double>(slices)};
  int count = 0;
  for (int i = 0; i < p.recon.num_rows; ++i)
    for (int j = 0; j < p.recon.num_cols; ++j) {
      double const x = p.delta_voxel * (j - (p.recon.num_cols - 1) / 2.0);
      double const y = p.delta_voxel * (i - (p.recon.num_rows - 1) / 2.0);
      if (std::hypot(x - rod.x, y - rod.y) > 0.8 * rod.radius) continue;
      ++count;
      for (int k = 0; k < slices; ++k) {
        double const value = image[(i * p.recon.num_cols + j) * slices + k];
        result.mean[k] += value;
        result.worst[k] = std::max(result.worst[k], std::abs(value - 1));
      }
    }
  for (double& mean : result.mean) mean /= count;
  return result;
}

/// Slices 2 and 12 lie inside what the rows see at the axis, but pixels nearer to the source are not seen. Slices 1 and
/// 13 are seen at the axis by no view, 0 and 14 by none anywhere near it.
TEST(TallVolume, ComesBackWhereOnlySomeViewsSeeIt) {
  for (Rod const& rod : {Rod{0, 0, 15}, Rod{6, -3, 8}})
    for (double const degrees : {360.0, 220.0}) {
      SCOPED_TRACE(testing::Message() << "rod at " << rod.x << ", " << degrees << " degrees");
      ConeScanParams scan = tall_scan(degrees, 150, 15);
      auto const e = errors(scan, rod);
      for (int const k : {2, 12}) {
        EXPECT_NEAR(e.mean[k], 1, 0.012) << k;
        EXPECT_LT(e.worst[k], 0.045) << k;
      }
      for (int k = 3; k < 12; ++k) {
        EXPECT_NEAR(e.mean[k], 1, 0.001) << k;
        EXPECT_LT(e.worst[k], 0.006) << k;
      }
      scan.reference_mode = true;  // what no view adds is missing
      if (degrees == 360) {
        auto const low = errors(scan, rod);
        EXPECT_LT(low.mean[2], 0.9);
        EXPECT_GT(low.worst[2], 0.15);
      }
    }
}

TEST(TallVolume, ComesBackFromADisplacedDetector) {
  ConeScanParams scan = tall_scan(360, 180, 15);
  scan.common.sinogram.num_det_channels = 46;
  scan.common.det_channel_offset = -11.5;
  auto const e = errors(scan, {0, 0, 15}, 2);
  for (int const k : {2, 12}) {
    EXPECT_NEAR(e.mean[k], 1, 0.012) << k;
    EXPECT_LT(e.worst[k], 0.03) << k;
  }
}

TEST(TallVolume, HasTheSameBitsOnAnyNumberOfDevices) {
  ConeScanParams const scan = tall_scan(360, 40, 15);
  auto const one = errors(scan, {3, 0, 9}, 1), three = errors(scan, {3, 0, 9}, 3);
  EXPECT_EQ(one.mean, three.mean);
  EXPECT_EQ(one.worst, three.worst);
}

TEST(Helix, ComesBackWithinTwoPercentWhereAWholeTurnSeesAVoxel) {
  for (double const pitch : {4.0, 8.0}) {  // a view sees 8.25 at the axis
    SCOPED_TRACE(pitch);
    ConeScanParams scan = tall_scan(360 * 4, 240, 13);
    for (int v = 0; v < 240; ++v) scan.helical_z_shifts.push_back(pitch * ((v + 0.5) / 60.0 - 2));
    Rod const rod{6, -3, 8};
    auto const e = errors(scan, rod);
    for (int k = 4; k < 9; ++k) {
      EXPECT_NEAR(e.mean[k], 1, 0.004) << k;
      EXPECT_LT(e.worst[k], 0.02) << k;
    }
    scan.reference_mode = true;  // counts views slice by slice at the axis
    EXPECT_GT(errors(scan, rod).worst[6], 0.04);
  }
}

TEST(RowCoverage, NamesTheSlicesThatViewsMiss) {
  auto const report = [](ConeScanParams const& scan) {
    auto const geometry = make_cone_scan(scan);
    return row_coverage(geometry->row_fan(), geometry->params(), 15);
  };
  ConeScanParams scan = tall_scan(360, 36, 15);
  EXPECT_EQ(report(scan).note, "some views miss voxels of slices 0 to 2, 12 to 14: the others stand for them");
  EXPECT_EQ(report(scan).warning,
            "slices 0 to 1, 13 to 14 of 0 to 14 are incomplete: the detector rows see them at the axis over less than "
            "180 degrees");
  EXPECT_EQ(report(scan).whole, (Range{3, 12}));
  scan.common.recon.num_slices = 9;
  EXPECT_TRUE(report(scan).complete);
  EXPECT_TRUE(report(scan).warning.empty());
  scan.common.det_row_offset = 2;  // the detector sees lower slices
  EXPECT_EQ(report(scan).note, "some views miss voxels of slices 7 to 8: the others stand for them");
  scan.reference_mode = true;
  EXPECT_TRUE(report(scan).complete);
}

TEST(RowCoverage, IncompleteSlicesAreInTheLog) {
  std::string const path = testing::TempDir() + "strata_coverage.log";
  log::open_file(path);
  (void)errors(tall_scan(360, 36, 15), {0, 0, 15});
  log::close_file();
  std::ifstream file(path);
  std::string const lines{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(lines.find("warning: fdk: slices 0 to 1, 13 to 14 of 0 to 14 are incomplete"), std::string::npos) << lines;
}

}  // namespace
}  // namespace strata::test
