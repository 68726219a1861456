// Reconstructions that share a prepared scan, and repeated runs of one.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/solver/vcd_reconstruction.hpp"
#include "core/solver/volume_ops.hpp"
#include "prior/proximal.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/support/ct_case.hpp"
#include "unit_tests/support/tool_watch.hpp"

namespace strata::test {
namespace {

/// A small scan and the settings of its runs.
struct Case {
  explicit Case(int devices = 1, char const* name = "parallel_odd_nonsquare", bool weighted = true)
      : golden(name), model(golden.model(devices)) {
    params.sigma_x = golden.file().number_attribute("/runs/noisy", "sigma_x");
    options.sigma_y = golden.file().number_attribute("/runs/noisy", "sigma_y");
    options.stop_threshold_change_pct = 0;
    std::optional<ShardedSinogram> weights;
    if (weighted) weights = golden.sinogram(*model, "/runs/noisy/weights");
    scan.emplace(*model, golden.sinogram(*model, "/runs/noisy/sinogram"), weights);
  }
  VCDSchedule schedule(int passes = 3) const {
    return make_schedule({{4, 16}, {0, 1}, passes, 0, 0, PartitionMode::balanced}, golden.masked_indices());
  }

  CtCase golden;
  std::unique_ptr<TomographyModel> model;
  QGGMRFParams params;
  VCDOptions options;
  std::optional<PreparedScan> scan;
};

using Sinogram = VCDReconstruction::Sinogram;

/// The image of a run that has the scan for itself.
std::vector<float> separate_run(double sigma_factor, bool positivity, bool weighted = true) {
  Case run(1, "parallel_odd_nonsquare", weighted);
  run.params.sigma_x *= sigma_factor;
  run.options.positivity_flag = positivity;
  auto const prior = make_qggmrf_prior(run.params);
  VCDReconstruction reconstruction(*run.scan, *prior, run.options, run.schedule(), Sinogram::used_up);
  reconstruction.start_direct();
  reconstruction.iterate();
  return to_host(*run.model, reconstruction.image());
}

TEST(VCDReconstruction, RunsOnASharedScanGiveTheBitsOfSeparateRuns) {
  for (int const devices : {1, 3})
    for (bool const weighted : {true, false}) {
      Case shared(devices, "parallel_odd_nonsquare", weighted);
      for (double const factor : {1.0, 3.0})
        for (bool const positivity : {false, true}) {
          auto params = shared.params;
          params.sigma_x *= factor;
          auto options = shared.options;
          options.positivity_flag = positivity;
          auto const prior = make_qggmrf_prior(params);
          VCDReconstruction reconstruction(*shared.scan, *prior, options, shared.schedule());
          reconstruction.start_direct();
          reconstruction.iterate();

          EXPECT_EQ(to_host(*shared.model, reconstruction.image()), separate_run(factor, positivity, weighted))
              << devices << " devices, factor " << factor << ", positivity " << positivity;
        }
    }
}

TEST(VCDReconstruction, ASecondStartForgetsTheFirstRun) {
  Case run;
  auto const prior = make_qggmrf_prior(run.params);
  VCDReconstruction reconstruction(*run.scan, *prior, run.options, run.schedule());
  reconstruction.start_direct();
  auto const first = reconstruction.iterate().history;
  auto const image = to_host(*run.model, reconstruction.image());

  reconstruction.start_direct();
  auto const second = reconstruction.iterate().history;

  EXPECT_EQ(to_host(*run.model, reconstruction.image()), image);
  ASSERT_EQ(second.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(second[i].fm_rmse, first[i].fm_rmse);
}

TEST(VCDReconstruction, PassesThatAreMadeOneByOneAreThoseOfOneCall) {
  Case whole, parts;
  auto const prior = make_qggmrf_prior(whole.params);
  VCDReconstruction at_once(*whole.scan, *prior, whole.options, whole.schedule(4));
  at_once.start_direct();
  at_once.iterate();
  VCDReconstruction one_by_one(*parts.scan, *prior, parts.options, parts.schedule(4));
  one_by_one.start_direct();
  for (int pass = 0; pass < 4; ++pass) one_by_one.iterate({pass, 1});

  EXPECT_EQ(to_host(*parts.model, one_by_one.image()), to_host(*whole.model, at_once.image()));
}

TEST(VCDReconstruction, GoingOnIsTheSameAsStartingFromTheLastImageExceptForRounding) {
  Case run;
  auto const prior = make_qggmrf_prior(run.params);
  VCDReconstruction reconstruction(*run.scan, *prior, run.options, run.schedule(4));
  reconstruction.start_direct();
  reconstruction.iterate({0, 3});
  auto const image = to_host(*run.model, reconstruction.image());
  reconstruction.iterate({3, 1});
  auto const gone_on = to_host(*run.model, reconstruction.image());

  from_host(*run.model, image, reconstruction.image());
  reconstruction.start_given();
  reconstruction.iterate({3, 1});

  EXPECT_LT(max_relative(to_host(*run.model, reconstruction.image()), gone_on), 1e-5);
}

TEST(VCDReconstruction, BeyondTheScheduleTheLastPassIsRepeated) {
  Case run;
  auto const prior = make_qggmrf_prior(run.params);
  VCDReconstruction reconstruction(*run.scan, *prior, run.options, run.schedule(2));
  reconstruction.start_direct();

  auto const history = reconstruction.iterate({0, 5}).history;

  ASSERT_EQ(history.size(), 5u);
  EXPECT_EQ(history[0].num_subsets, 4);
  for (int i = 1; i < 5; ++i) EXPECT_EQ(history[i].num_subsets, 16);
  EXPECT_EQ(history[4].iteration, 4);
  EXPECT_LT(history[4].pct_change, history[1].pct_change);
}

/// What a turn of a plug-and-play loop allocates after the first.
int allocations_of_a_turn(int devices, char const* name, bool restart) {
  Case run(devices, name);
  auto const input = run.model->make_volume("test::input");
  auto const sum = run.model->make_volume("test::sum");
  auto const prior = make_proximal_prior(input, run.params.sigma_x);
  VCDReconstruction data_fit(*run.scan, *prior, run.options, run.schedule());
  AbsoluteSum const norm(run.model->recon_placement(), run.model->recon_shape().num_pixels());
  data_fit.start_direct();
  auto const turn = [&](int number) {
    combine(0.5, data_fit.image(), 0.5, input, sum);
    copy(sum, input);
    if (restart) data_fit.start_given();
    data_fit.iterate({number, 1});
    return norm(sum);
  };
  turn(0);
  ToolWatch const watch;
  turn(1);
  EXPECT_GT(turn(2), 0);
  return watch.events().allocations + watch.events().frees;
}

TEST(VCDReconstruction, RepeatedProximalMapsAllocateNothing) {
  for (bool const restart : {false, true}) {
    EXPECT_EQ(allocations_of_a_turn(1, "parallel_odd_nonsquare", restart), 0);
    EXPECT_EQ(allocations_of_a_turn(3, "parallel_odd_nonsquare", restart), 0);
    EXPECT_EQ(allocations_of_a_turn(2, "cone_basic", restart), 0);
  }
}

TEST(VCDReconstruction, TheProximalMapIsTheInputOrTheMinimumOfTheDataInItsLimits) {
  Case run;
  auto const input = run.model->make_volume("test::input");
  run.model->fill(input, run.model->masked_pixels(), Real(0.01));
  auto const stiff = make_proximal_prior(input, 1e-6);
  VCDReconstruction fixed(*run.scan, *stiff, run.options, run.schedule(4));
  fixed.start_direct();
  fixed.iterate();

  EXPECT_LT(nrmse(to_host(*run.model, fixed.image()), to_host(*run.model, input)), 1e-4);
}

TEST(VCDReconstruction, StopsWhereTheChangeFallsBelowTheThreshold) {
  Case run;
  run.options.stop_threshold_change_pct = 1000;
  auto const prior = make_qggmrf_prior(run.params);
  VCDReconstruction reconstruction(*run.scan, *prior, run.options, run.schedule());
  reconstruction.start_direct();
  int observed = 0;

  auto const result = reconstruction.iterate({}, [&](IterationStats const& stats) {
    EXPECT_TRUE(stats.converged) << "whoever observes must know that it is the last pass";
    ++observed;
  });

  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.history.size(), 1u);
  EXPECT_EQ(observed, 1);
}

TEST(VCDReconstruction, RefusesWhatItHasNoDataFor) {
  Case run;
  auto const prior = make_qggmrf_prior(run.params);
  VCDReconstruction reconstruction(*run.scan, *prior, run.options, run.schedule(), Sinogram::used_up);

  EXPECT_THROW(reconstruction.iterate(), Error);
  reconstruction.start_direct();
  EXPECT_THROW(reconstruction.start_direct(), Error);
  EXPECT_THROW(run.scan->sinogram(), Error);
}

TEST(PreparedScan, TheHessianFollowsWeightsThatWereReplaced) {
  Case run;
  auto const before = to_host(*run.model, run.scan->hessian_diagonal());
  fill(run.model->sinogram_layout(), *run.scan->weights(), 1);
  EXPECT_EQ(to_host(*run.model, run.scan->hessian_diagonal()), before);

  run.scan->weights_changed();

  EXPECT_NE(to_host(*run.model, run.scan->hessian_diagonal()), before);
}

/// Runs twice on one scan whose weights change in between, or the second time on a scan of its own.
VCDResult run_with_new_weights(Case& run, bool fresh, std::vector<float>& image) {
  auto const prior = make_qggmrf_prior(run.params);
  auto const start = run.model->make_volume("test::start");
  VCDReconstruction first(*run.scan, *prior, run.options, run.schedule());
  first.start_direct();
  first.iterate();
  copy(first.image(), start);
  auto weights = to_host(*run.model, *run.scan->weights());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= i % 7 == 0 ? 0.01f : 0.5f;
  from_host(*run.model, weights, *run.scan->weights());
  run.scan->weights_changed();
  PreparedScan other(*run.model, run.scan->sinogram(), *run.scan->weights());
  std::optional<VCDReconstruction> second;
  if (fresh) copy(start, second.emplace(other, *prior, run.options, run.schedule()).image());
  auto& used = fresh ? *second : first;
  used.start_given();
  auto const result = used.iterate();
  image = to_host(*run.model, used.image());
  return result;
}

TEST(PreparedScan, AReconstructionGoesOnWithReplacedWeightsAsAFreshOneWould) {
  for (auto const acceleration : {Acceleration::none, Acceleration::subspace})
    for (char const* name : {"parallel_odd_nonsquare", "cone_basic"})
      for (int const devices : {1, 3}) {
        SCOPED_TRACE(testing::Message() << name << ", " << devices << " devices, acceleration " << int(acceleration));
        std::vector<float> kept, fresh;
        Case run(devices, name), other(devices, name);
        run.options.acceleration = other.options.acceleration = acceleration;
        auto const first = run_with_new_weights(run, false, kept).history;
        auto const second = run_with_new_weights(other, true, fresh).history;
        EXPECT_EQ(kept, fresh);
        ASSERT_EQ(first.size(), second.size());
        for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].fm_rmse, second[i].fm_rmse);
      }
}

TEST(VolumeOps, SumsDoNotDependOnTheDeviceCountOrOnPadding) {
  Case one(1), three(3);
  auto const x = one.golden.volume(*one.model, "/runs/noisy/recon_5");
  auto const split = three.golden.volume(*three.model, "/runs/noisy/recon_5");
  poison(*three.model, split, std::nanf(""));
  double expected = 0;
  for (float const value : to_host(*one.model, x)) expected += std::abs(double(value));

  double const sum = AbsoluteSum(one.model->recon_placement(), one.model->recon_shape().num_pixels())(x);

  EXPECT_NEAR(sum, expected, 1e-12 * expected);
  EXPECT_EQ(AbsoluteSum(three.model->recon_placement(), three.model->recon_shape().num_pixels())(split), sum);
}

}  // namespace
}  // namespace strata::test
