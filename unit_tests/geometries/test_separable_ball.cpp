/// Cone-beam projection against line integrals through a ball.
#include <gtest/gtest.h>

#include <cmath>

#include "unit_tests/geometries/test_separable_run.hpp"

namespace strata {
namespace {

using namespace testing_support;

/// Line integrals through a ball by fine sampling along the ray of each detector cell's centre.
TEST(SeparableProjector, ProjectsABallAsLineIntegralsDo) {
  ConeBeamParams p;
  int const n = 64;
  p.sinogram = {3, n, n};
  p.recon = {n, n, n};
  p.delta_voxel = 0.5;
  p.source_detector_dist = 400;
  p.source_iso_dist = 200;
  p.angles = {0.0, 0.5, 2.0};
  double const radius = 10, cx = 2, cy = -1, cz = 1.5;
  auto const pixels = pixels_of(p.recon);
  Values x;
  for (int const pixel : pixels)
    for (int k = 0; k < n; ++k) {
      double share = 0;  // of the voxel inside the ball
      for (int s = 0; s < 27; ++s) {
        auto const at = [&](int index, int part) { return 0.5 * (index - 31.5 + (part % 3 - 1) / 3.0); };
        share +=
            std::hypot(at(pixel % n, s) - cx, at(pixel / n, s / 3) - cy, at(k, s / 9) - cz) < radius ? 1 / 27.0 : 0;
      }
      x.push_back(static_cast<float>(share));
    }
  Values const sino = SeparableRun(p, pixels).forward(x);

  for (bool const curved : {false, true}) {
    p.curved = curved;
    Values const projected = curved ? SeparableRun(p, pixels).forward(x) : sino;
    double difference = 0, norm = 0;
    for (int v = 0; v < 3; ++v)
      for (int m = 0; m < n; ++m)
        for (int c = 0; c < n; ++c) {
          double const a = p.angles[v], u = c - 31.5, z = m - 31.5;
          double const bx = std::cos(a) * cx - std::sin(a) * cy, by = std::sin(a) * cx + std::cos(a) * cy;
          // From the source at (0, 200, 0) towards the cell.
          double const dx = curved ? 400 * std::sin(u / 400) : u, dy = curved ? -400 * std::cos(u / 400) : -400.0;
          double const length = std::hypot(dx, dy, z);
          double const along = (bx * dx + (by - 200) * dy + cz * z) / length;
          double const apart = bx * bx + (by - 200) * (by - 200) + cz * cz - along * along;
          double const chord = apart < radius * radius ? 2 * std::sqrt(radius * radius - apart) : 0;
          double const ours = projected[(Index(v) * n + m) * n + c];
          difference += (ours - chord) * (ours - chord);
          norm += chord * chord;
        }
    EXPECT_LE(std::sqrt(difference / norm), 0.02) << "curved: " << curved;
  }
}

}  // namespace
}  // namespace strata
