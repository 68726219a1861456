// Races show as bits that change from run to run, or with the number of streams.
#include "unit_tests/gpu/gpu_scan.hpp"

namespace strata::test {
namespace {

class GpuRepeatability : public testing::TestWithParam<Beam> {};

TEST_P(GpuRepeatability, EveryRunGivesTheSameBits) {
  STRATA_SKIP_WITHOUT_GPU();
  auto const model = gpu_model(GetParam(), 1);
  auto const first = run_everything(*model);

  for (int run = 1; run < 5; ++run) EXPECT_TRUE(run_everything(*model) == first) << "run " << run;
}

TEST_P(GpuRepeatability, AnyNumberOfStreamsGivesTheSameBits) {
  STRATA_SKIP_WITHOUT_GPU();
  auto const one = run_everything(*gpu_model(GetParam(), 1));

  for (int const streams : {2, 3, 8}) EXPECT_TRUE(run_everything(*gpu_model(GetParam(), streams)) == one) << streams;
}

INSTANTIATE_TEST_SUITE_P(Beams, GpuRepeatability, testing::Values(Beam::parallel, Beam::cone),
                         [](auto const& test) { return test.param == Beam::parallel ? "parallel" : "cone"; });

}  // namespace
}  // namespace strata::test
