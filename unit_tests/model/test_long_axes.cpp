// One axis beyond 2048, the others small: chords as geometry says, on one device and on several.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "geometries/cone_scan.hpp"
#include "geometries/multiaxis_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

struct Shapes {
  SinogramShape sinogram;
  ReconShape recon;
};

/// Slices and rows, channels, rows of the volume, views.
Shapes const long_axes[] = {{{2, 3000, 12}, {8, 10, 3000}},
                            {{2, 5, 5001}, {8, 11, 5}},
                            {{2, 5, 5001}, {3, 4999, 5}},
                            {{4100, 5, 12}, {8, 10, 5}}};

std::shared_ptr<Geometry const> make_geometry(std::string const& type, Shapes const& shapes) {
  GeometryParams params;
  params.sinogram = shapes.sinogram;
  params.recon = shapes.recon;
  std::vector<double> const angles(static_cast<std::size_t>(shapes.sinogram.num_views), std::numbers::pi);
  if (type == "parallel") return make_parallel_scan(params, angles, false);
  if (type == "multiaxis_parallel") {
    MultiAxisScanParams scan;
    scan.common = params;
    scan.azimuths = angles;
    scan.elevations = std::vector<double>(angles.size(), 0.0);
    return make_multiaxis_scan(scan);
  }
  ConeScanParams scan;
  scan.common = params;
  scan.angles = angles;
  scan.source_detector_dist = scan.source_iso_dist = std::numeric_limits<double>::infinity();
  return make_cone_scan(scan);
}

class LongAxes : public testing::TestWithParam<char const*> {};

TEST_P(LongAxes, ProjectAsChordsSayOnAnyNumberOfDevices) {
  for (Shapes const& shapes : long_axes)
    for (int const devices : {1, 3}) {
      auto const& [sinogram, recon] = shapes;
      SCOPED_TRACE(text(recon.num_rows, " x ", recon.num_cols, " x ", recon.num_slices, ", ", devices, " devices"));
      TomographyModel const model(DeviceSet::virtual_devices(devices), make_geometry(GetParam(), shapes),
                                  std::vector<bool>(static_cast<std::size_t>(recon.num_pixels()), true));
      auto const x = model.make_volume("test::x");
      auto const y = model.make_sinogram("test::y");
      // Slice k holds 1 + k / 4: mistaken slices show.
      std::vector<float> values(static_cast<std::size_t>(recon.size()));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = 1 + 0.25F * static_cast<float>(i % static_cast<std::size_t>(recon.num_slices));
      from_host(model, values, x);

      model.forward_project(x, y);

      auto const lines = to_host(model, y);
      int const first = (sinogram.num_det_channels - recon.num_cols) / 2;
      double worst = 0;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        int const n = static_cast<int>(i % static_cast<std::size_t>(sinogram.num_det_channels)) - first;
        auto const m =
            i / static_cast<std::size_t>(sinogram.num_det_channels) % static_cast<std::size_t>(sinogram.num_det_rows);
        double const chord = recon.num_rows * (1 + 0.25 * static_cast<double>(m));
        double const expected = n >= 0 && n < recon.num_cols ? chord : 0;
        worst = std::max(worst, std::abs(lines[i] - expected) / chord);
      }
      EXPECT_LE(worst, 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(Geometries, LongAxes, testing::Values("parallel", "multiaxis_parallel", "cone"));

}  // namespace
}  // namespace strata::test
