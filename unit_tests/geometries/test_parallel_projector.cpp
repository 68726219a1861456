/// The projector of parallel beams against plain loops in double, and the algebra it must obey. All properties are
/// tested for the kernels of this build and for the GPU teams.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit_tests/geometries/projector_fixture.hpp"
#include "unit_tests/reference/projector_reference.hpp"

namespace strata {
namespace {

using namespace testing_support;

struct Scan {
  char const* name;
  ParallelBeamParams params;
  int step = 1;        ///< every step-th pixel is listed
  bool teams = false;  ///< also tried with the GPU teams, which are slow here
};

ParallelBeamParams scan_of(SinogramShape sino, int rows, int cols, double voxel = 1, double aspect = 1,
                           double pitch = 1, double offset = 0) {
  ParallelBeamParams p;
  p.sinogram = sino;
  p.recon = {rows, cols, sino.num_det_rows};
  p.angles = half_turn(sino.num_views);
  p.delta_voxel = voxel;
  p.voxel_row_aspect = aspect;
  p.delta_det_channel = pitch;
  p.det_channel_offset = offset;
  return p;
}

std::vector<Scan> scans() {
  std::vector<Scan> all{
      {"odd_sizes", scan_of({7, 5, 23}, 19, 29), 1, true},
      {"many_slices", scan_of({5, 131, 9}, 7, 6), 1, true},
      {"three_vectors", scan_of({6, 41, 17}, 13, 11)},
      {"two_vectors", scan_of({6, 29, 17}, 13, 11)},
      {"one_channel", scan_of({5, 3, 1}, 7, 9), 1, true},
      {"two_channels", scan_of({5, 3, 2}, 7, 9, 3.0)},
      {"one_view", scan_of({1, 3, 21}, 17, 15)},
      {"one_slice", scan_of({11, 1, 21}, 17, 15)},
      {"one_pixel", scan_of({11, 2, 21}, 1, 1)},
      {"narrow_box", scan_of({13, 4, 31}, 21, 23, 0.3)},
      {"box_of_two", scan_of({13, 4, 31}, 21, 23, 2.0)},
      {"box_of_2.7", scan_of({13, 4, 31}, 11, 9, 2.7)},
      {"box_of_four", scan_of({13, 4, 31}, 11, 9, 4.0)},
      {"box_of_6.3", scan_of({13, 4, 31}, 7, 5, 6.3), 1, true},
      {"box_wider_than_the_detector", scan_of({5, 2, 6}, 5, 5, 9.0)},
      {"wider_than_the_detector", scan_of({9, 3, 11}, 33, 37), 1, true},
      {"offset_pitch_aspect", scan_of({10, 6, 27}, 20, 26, 0.9, 1.7, 1.3, -4.2)},
      {"sparse_list", scan_of({37, 18, 31}, 40, 44, 0.7, 0.6, 1.0, 0.4), 5, true},
      {"many_views", scan_of({300, 3, 20}, 17, 18), 3, true},
  };
  return all;
}

/// A scan with its projector and random arrays.
struct Trial {
  ParallelBeamParams params;
  std::vector<int> pixels;
  KernelChoice kernels;
  ProjectorRun run;
  Values x, y, weights;

  Trial(Scan const& scan, KernelChoice choice)
      : params(scan.params),
        pixels(pixels_of(params.recon, scan.step)),
        kernels(choice),
        run(params, pixels, 1, choice),
        x(random_values(Index(pixels.size()) * params.recon.num_slices, 1)),
        y(random_values(params.sinogram.size(), 2)),
        weights(random_values(params.sinogram.size(), 3)) {
    for (auto& w : weights) w = std::abs(w);
  }
};

class ParallelProjector : public testing::TestWithParam<KernelChoice> {
 protected:
  template <class F>
  void for_each_scan(F const& check) {
    for (Scan const& scan : scans()) {
      if (GetParam() == KernelChoice::teams && !scan.teams) continue;
      SCOPED_TRACE(scan.name);
      check(Trial(scan, GetParam()));
    }
  }
};

TEST_P(ParallelProjector, ForwardProjectsLikeThePlainLoops) {
  for_each_scan([](Trial const& t) {
    auto const expected = reference::forward_project(t.params, t.pixels, in_double(t.x));

    EXPECT_LT(max_relative(t.run.forward(t.x), expected), 2e-6);
    EXPECT_LT(max_relative(t.run.forward(t.x, Position::by_entry), expected), 2e-6);
  });
}

TEST_P(ParallelProjector, BackProjectsLikeThePlainLoops) {
  for_each_scan([](Trial const& t) {
    auto const expected = reference::back_project(t.params, t.pixels, in_double(t.y), 1);

    EXPECT_LT(max_relative(t.run.back(t.y), expected), 2e-6);
    EXPECT_LT(max_relative(t.run.back(t.y, 1, Position::by_entry), expected), 2e-6);
  });
}

TEST_P(ParallelProjector, PowerTwoSquaresTheMatrixEntries) {
  for_each_scan([](Trial const& t) {
    auto const expected = reference::back_project(t.params, t.pixels, in_double(t.y), 2);

    EXPECT_LT(max_relative(t.run.back(t.y, 2), expected), 3e-6);
  });
}

TEST_P(ParallelProjector, BackIsTheAdjointOfForward) {
  for_each_scan([](Trial const& t) {
    Values const ax = t.run.forward(t.x), aty = t.run.back(t.y);

    double const left = dot(ax, t.y), right = dot(t.x, aty);
    EXPECT_NEAR(left, right, 1e-6 * std::sqrt(dot(ax, ax) * dot(t.y, t.y)));
  });
}

TEST_P(ParallelProjector, CurvatureIsTheWeightedSquareOfTheProjection) {
  for_each_scan([](Trial const& t) {
    auto const q = reference::forward_project(t.params, t.pixels, in_double(t.x));
    Index const per_view = Index(t.params.sinogram.num_det_rows) * t.params.sinogram.num_det_channels;

    auto const weighted = t.run.curvature(t.x, t.weights), plain = t.run.curvature(t.x, {});

    for (int v = 0; v < t.params.sinogram.num_views; ++v) {
      double expected = 0, expected_plain = 0;
      for (Index i = v * per_view; i < (v + 1) * per_view; ++i) {
        expected += t.weights[i] * q[i] * q[i];
        expected_plain += q[i] * q[i];
      }
      EXPECT_NEAR(weighted[v], expected, 1e-5 * expected_plain + 1e-30);
      EXPECT_NEAR(plain[v], expected_plain, 1e-5 * expected_plain + 1e-30);
    }
  });
}

TEST_P(ParallelProjector, DescendSubtractsTheWeightedProjection) {
  for_each_scan([](Trial const& t) {
    Values const ax = t.run.forward(t.x);
    std::vector<double> expected(t.y.size());
    for (std::size_t i = 0; i < t.y.size(); ++i) expected[i] = t.y[i] - 0.25 * t.weights[i] * ax[i];

    EXPECT_LT(max_relative(t.run.descend(t.x, 0.25F, t.weights, t.y, false).first, expected), 2e-6);
  });
}

TEST_P(ParallelProjector, TheFusedSweepHasTheBitsOfItsTwoParts) {
  for_each_scan([](Trial const& t) {
    EXPECT_EQ(t.run.descend(t.x, 0.25F, t.weights, t.y, true), t.run.descend(t.x, 0.25F, t.weights, t.y, false));
    EXPECT_EQ(t.run.descend(t.x, 0.25F, {}, t.y, true), t.run.descend(t.x, 0.25F, {}, t.y, false));
    EXPECT_EQ(t.run.descend({}, 0, t.weights, t.y, true), t.run.descend({}, 0, t.weights, t.y, false));
  });
}

TEST_P(ParallelProjector, ResultsDoNotDependOnTheNumberOfDevices) {
  for_each_scan([](Trial const& t) {
    for (int const devices : {2, 5}) {
      ProjectorRun const split(t.params, t.pixels, devices, t.kernels);

      EXPECT_EQ(split.forward(t.x), t.run.forward(t.x)) << devices << " devices";
      EXPECT_EQ(split.back(t.y), t.run.back(t.y)) << devices << " devices";
      EXPECT_EQ(split.curvature(t.x, t.weights), t.run.curvature(t.x, t.weights)) << devices << " devices";
      EXPECT_EQ(split.descend(t.x, 0.5F, t.weights, t.y, true), t.run.descend(t.x, 0.5F, t.weights, t.y, true))
          << devices << " devices";
    }
  });
}

TEST_P(ParallelProjector, BandsGiveTheBitsOfTheWhole) {
  for_each_scan([](Trial const& t) {
    Values const whole = t.run.forward(t.x), whole_back = t.run.back(t.y);
    ProjectorRun const split(t.params, t.pixels, 3, t.kernels);  // several blocks
    for (auto const& device : split.devices()) {
      Sinogram const shard = device.sinogram({}), measured = device.sinogram(t.y);
      for (int b = 0; b < device.blocks().num_blocks(); ++b) {
        Range const one{b, b + 1};
        device.projector().forward_project(
            device.exec(), {one, device.pixels(), Position::by_pixel, device.cylinders(t.x, Position::by_pixel, one)},
            shard);
      }
      Values part = whole;
      device.read(shard, part);
      EXPECT_EQ(part, whole);

      for (TreeNode const node : device.projector().nodes()) {
        Range const all{0, device.blocks().num_blocks()};
        Cylinders const out = device.empty_cylinders(Position::by_entry, all.size());
        device.projector().back_project(device.exec(), node, measured, 1, all, device.pixels(), Position::by_entry,
                                        out);
        Values together(t.x.size()), banded(t.x.size());
        device.read(out, Position::by_entry, all, together);
        for (int b = 0; b < all.end; ++b) {
          Cylinders const band = device.empty_cylinders(Position::by_pixel, 1);
          device.projector().back_project(device.exec(), node, measured, 1, {b, b + 1}, device.pixels(),
                                          Position::by_pixel, band);
          device.read(band, Position::by_pixel, {b, b + 1}, banded);
        }
        EXPECT_EQ(banded, together);
      }
    }
  });
}

TEST(ParallelProjectors, AreAdjointForRandomScans) {
  std::mt19937 random(7);
  auto const whole = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); };
  auto const real = [&](double low, double high) { return low + (high - low) * (random() / 4294967296.0); };
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE(trial);
    ParallelBeamParams params = scan_of({whole(1, 40), whole(1, 70), whole(1, 50)}, whole(1, 40), whole(1, 40),
                                        real(0.2, 4), real(0.3, 3), real(0.3, 3), real(-20, 20));
    for (auto& angle : params.angles) angle = real(-10, 10);
    Trial const t({"random", params, whole(1, 5)}, KernelChoice::best);
    Values const ax = t.run.forward(t.x), aty = t.run.back(t.y);

    EXPECT_NEAR(dot(ax, t.y), dot(t.x, aty), 1e-6 * std::sqrt(dot(ax, ax) * dot(t.y, t.y)));
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ParallelProjector, testing::Values(KernelChoice::best, KernelChoice::teams),
                         [](auto const& kernels) { return kernels.param == KernelChoice::best ? "best" : "teams"; });

}  // namespace
}  // namespace strata
