// VCD outside reference mode never climbs, whatever the scan, its weights and its data.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/solver/vcd_reconstruction.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

constexpr char const* scans[] = {"parallel_basic",    "parallel_odd_nonsquare", "parallel_limited_angle",
                                 "cone_basic",        "cone_odd_offsets",       "cone_helical",
                                 "cone_curved_pad",   "multiaxis_laminography", "multiaxis_varied",
                                 "translation_basic", "translation_offsets"};
constexpr int num_scans = static_cast<int>(std::size(scans));

struct Problem {
  Problem(CtCase const& golden, int number) : model(golden.model(1)) {
    std::mt19937 random(static_cast<unsigned>(number));
    std::uniform_real_distribution<float> uniform(0, 1);
    auto const y = golden.sinogram(*model, "/runs/noisy/sinogram");
    auto values = to_host(*model, y), weights = values;
    // From hardly any noise to nothing but noise; weights over many decades, some rays left out.
    float const noise = std::pow(10.f, -3 * uniform(random));
    float const decades = 6 * uniform(random), left_out = 0.3f * uniform(random);
    std::normal_distribution<float> normal(0, noise);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += normal(random);
      weights[i] = uniform(random) < left_out ? 0.f : std::pow(10.f, -decades * uniform(random));
    }
    from_host(*model, values, y);
    auto const w = model->make_sinogram("weights");
    from_host(*model, weights, w);
    scan.emplace(*model, y, w);
    options.sigma_y = 0.05 * std::pow(10, uniform(random) - 0.5f);
    options.stop_threshold_change_pct = 0;
    options.positivity_flag = number % 2 == 1;
    options.compute_objective = true;
    prior.sigma_x = 0.01 * std::pow(10, 2 * uniform(random) - 1);
    prior.q = 1 + 0.9 * uniform(random);
    int const coarse = 1 + static_cast<int>(6 * uniform(random));
    schedule =
        make_schedule({{coarse, 4 * coarse}, {0, 1}, 5, 0, static_cast<unsigned>(number), PartitionMode::balanced},
                      golden.masked_indices());
  }

  std::unique_ptr<TomographyModel> model;
  std::optional<PreparedScan> scan;
  VCDOptions options;
  QGGMRFParams prior;
  VCDSchedule schedule;
};

class Descent : public testing::TestWithParam<int> {};

TEST_P(Descent, NeverRaisesTheObjectiveOverAPass) {
  CtCase const golden(scans[GetParam() % num_scans]);
  Problem problem(golden, GetParam());
  auto const prior = make_qggmrf_prior(problem.prior);
  VCDReconstruction reconstruction(*problem.scan, *prior, problem.options, problem.schedule);
  if (GetParam() % 3 == 0)
    reconstruction.start_given();
  else
    reconstruction.start_direct();
  auto const history = reconstruction.iterate().history;
  ASSERT_EQ(history.size(), 5u);
  for (std::size_t k = 1; k < history.size(); ++k)
    EXPECT_LE(history[k].objective, history[k - 1].objective * (1 + 1e-6))
        << scans[GetParam() % num_scans] << ", pass " << k;
  EXPECT_LT(history.back().objective, history.front().objective);
}

INSTANTIATE_TEST_SUITE_P(RandomProblems, Descent, testing::Range(0, 55));

}  // namespace
}  // namespace strata::test
