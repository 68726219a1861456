// The recorded runs of the reference's denoiser.
#include <gtest/gtest.h>

#include "core/base/text.hpp"
#include "core/io/hdf5_file.hpp"
#include "core/solver/denoiser.hpp"
#include "core/solver/noise_estimate.hpp"
#include "core/solver/region_mask.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/solver/image_case.hpp"
#include "unit_tests/support/golden.hpp"

namespace strata::test {
namespace {

struct Recorded {
  Hdf5File file{STRATA_TEST_DATA "/golden/denoise.h5"};
  std::string name;
  ReconShape shape;
  std::vector<float> image;

  explicit Recorded(int number) : name(text("/run_", number)) {
    auto const extents = file.shape(name + "/image");
    shape = {int(extents[0]), int(extents[1]), int(extents[2])};
    image = file.read<float>(name + "/image");
  }
  double number(char const* attribute) const { return file.number_attribute(name, attribute); }

  PixelPartition partition() const {
    auto const extents = file.shape(name + "/partition");
    auto const values = file.read<int>(name + "/partition");
    std::vector<std::vector<int>> subsets;
    for (std::int64_t s = 0; s < extents[0]; ++s)
      subsets.emplace_back(values.begin() + s * extents[1], values.begin() + (s + 1) * extents[1]);
    return given_partition(subsets, int(shape.num_pixels()));
  }
};

double nrmse_of(std::vector<float> const& value, std::vector<float> const& expected) {
  return golden::nrmse({value.begin(), value.end()}, {expected.begin(), expected.end()});
}

class GoldenDenoise : public testing::TestWithParam<int> {};

TEST_P(GoldenDenoise, GivesTheImagesAndStatisticsOfTheReference) {
  Recorded const run(GetParam());
  bool const zeros = run.file.string_attribute(run.name, "initialisation") == "zeros";
  auto const prior = make_qggmrf_prior({.sigma_x = run.number("sigma_x"), .nbr_wts = {}});
  auto const change = run.file.read<float>(run.name + "/change_pct");
  auto const alpha = run.file.read<float>(run.name + "/alpha");
  std::vector<float> one_device;

  for (int const devices : {1, 3}) {
    SCOPED_TRACE(devices);
    ImageCase const where(run.shape, devices);
    auto const image = where.volume(run.image);
    auto const recon = where.volume(zeros ? std::vector<float>(run.image.size()) : run.image);
    Denoiser denoiser(*prior, {.sigma_noise = run.number("sigma_noise"), .reference_mode = true}, run.shape, image,
                      recon, run.partition());
    int const passes = int(run.number("num_iterations"));
    int compared = 0;
    for (int pass = 0; pass < passes; ++pass) {
      auto const stats = denoiser.iterate(pass);
      EXPECT_NEAR(stats.pct_change, change[pass], 1e-4 * change[pass]) << "pass " << pass;
      EXPECT_NEAR(stats.alpha, alpha[pass], 1e-4 * alpha[pass]) << "pass " << pass;
      auto name = text(run.name, "/denoised_", pass + 1);
      if (pass + 1 == passes && !run.file.has(name)) name = run.name + "/denoised_40";
      if (!run.file.has(name)) continue;
      EXPECT_LE(nrmse_of(where.values(recon), run.file.read<float>(name)), 2e-5) << name;
      ++compared;
    }
    EXPECT_GE(compared, 2);
    if (one_device.empty()) one_device = where.values(recon);
    EXPECT_EQ(where.values(recon), one_device);
  }
}

TEST_P(GoldenDenoise, FindsTheScalesOfTheReference) {
  Recorded const run(GetParam());
  ImageCase const where(run.shape, 2);

  double const noise = estimate_noise(rows_of(where.volume(run.image), run.shape));
  double const sigma_x =
      denoiser_sigma_x(rows_of(where.volume(run.image), run.shape), run.number("sigma_noise"), run.number("sharpness"));

  EXPECT_NEAR(noise, run.number("estimated_noise_std"), 1e-6 * noise);
  EXPECT_NEAR(sigma_x, run.number("sigma_x"), 1e-6 * sigma_x);
}

INSTANTIATE_TEST_SUITE_P(Runs, GoldenDenoise, testing::Range(0, 4));

TEST(DenoiserPartition, OfTheReferenceIsRepeatedFromItsSeed) {
  Recorded const run(0);
  ASSERT_EQ(run.number("use_ror_mask"), 0);
  auto const pixels = full_mask(run.shape.num_rows, run.shape.num_cols).pixel_indices();

  auto const partition = denoiser_partition(pixels, run.shape, true, std::uint32_t(run.number("seed")));

  EXPECT_EQ(partition.subsets, run.partition().subsets);
}

}  // namespace
}  // namespace strata::test
