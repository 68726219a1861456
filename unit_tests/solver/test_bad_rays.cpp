// Rays that are missing, wrong or worth nothing: the image stays finite and useful.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/solver/ray_weights.hpp"
#include "core/solver/vcd_reconstruction.hpp"
#include "core/solver/weights.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

/// A box in a small parallel-beam or cone-beam scan without noise.
struct Scan {
  explicit Scan(char const* name = "parallel_basic") : golden(name), model(golden.model(1)) {
    auto const& shape = model->recon_shape();
    truth.assign(static_cast<std::size_t>(shape.size()), 0);
    for (int row = shape.num_rows / 3; row < 2 * shape.num_rows / 3; ++row)
      for (int col = shape.num_cols / 3; col < 2 * shape.num_cols / 3; ++col)
        for (int slice = 0; slice < shape.num_slices; ++slice)
          truth[static_cast<std::size_t>((Index(row) * shape.num_cols + col) * shape.num_slices + slice)] = 0.05f;
    auto const volume = model->make_volume("truth");
    from_host(*model, truth, volume);
    auto const projected = model->make_sinogram("projected");
    model->forward_project(volume, projected);
    clean = to_host(*model, projected);
    options.sigma_y = 0.02;
    options.stop_threshold_change_pct = 0;
    params.sigma_x = 0.02;
  }

  std::size_t ray(int view, int row, int channel) const {
    auto const& sino = model->sinogram_shape();
    return static_cast<std::size_t>((Index(view) * sino.num_det_rows + row) * sino.num_det_channels + channel);
  }
  ShardedSinogram on_device(std::vector<float> const& values) const {
    auto const sinogram = model->make_sinogram("sinogram");
    from_host(*model, values, sinogram);
    return sinogram;
  }
  VCDSchedule schedule(int passes) const {
    return make_schedule({{4, 16}, {0, 1}, passes, 0, 0, PartitionMode::balanced}, golden.masked_indices());
  }
  std::vector<float> recon(std::vector<float> const& y, std::vector<float> const& w, int passes = 8) const {
    PreparedScan scan(*model, on_device(y), on_device(w));
    auto const prior = make_qggmrf_prior(params);
    VCDReconstruction reconstruction(scan, *prior, options, schedule(passes));
    reconstruction.start_direct();
    reconstruction.iterate();
    return to_host(*model, reconstruction.image());
  }

  CtCase golden;
  std::unique_ptr<TomographyModel> model;
  std::vector<float> truth, clean;
  VCDOptions options;
  QGGMRFParams params;
};

bool finite(std::vector<float> const& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

TEST(BadRays, OutliersLoseTheirInfluenceWhenWeightsFollowTheErrors) {
  Scan s;
  s.params.sigma_x = 0.002;  // a prior that an outlier cannot talk round
  auto y = s.clean;
  std::vector<float> const ones(y.size(), 1);
  for (std::size_t i = 0; i < y.size(); i += 97) y[i] += 3;  // one ray in a hundred is wrong
  auto const plain = s.recon(y, ones);

  PreparedScan scan(*s.model, s.on_device(y), s.on_device(ones));
  auto const prior = make_qggmrf_prior(s.params);
  auto const base = s.on_device(ones);
  std::vector<float> robust;
  auto image = s.model->make_volume("image");
  for (int round = 0; round < 4; ++round) {
    VCDReconstruction reconstruction(scan, *prior, s.options, s.schedule(8));
    copy(image, reconstruction.image());
    reconstruction.start_given();
    reconstruction.iterate();
    copy(reconstruction.image(), image);
    robust = to_host(*s.model, image);
    double const share = huber_weights(*s.model, {3, 1, true}, base, reconstruction.weighted_error(), *scan.weights());
    EXPECT_GT(share, 0.005) << round;
    EXPECT_LT(share, 0.2) << round;
    scan.weights_changed();
  }
  EXPECT_LT(nrmse(robust, s.truth), 0.05 * nrmse(plain, s.truth));
}

TEST(BadRays, DeadPixelsAndMaskedViewsDoNoHarm) {
  for (char const* name : {"parallel_basic", "cone_basic"}) {
    Scan const s(name);
    auto const& sino = s.model->sinogram_shape();
    auto y = s.clean;
    std::vector<bool> dead(static_cast<std::size_t>(sino.num_det_rows) * sino.num_det_channels);
    int const dead_channel = sino.num_det_channels / 2 + 2;
    for (int row = 0; row < sino.num_det_rows; ++row) {
      dead[static_cast<std::size_t>(row) * sino.num_det_channels + dead_channel] = true;
      for (int view = 0; view < sino.num_views; ++view) y[s.ray(view, row, dead_channel)] = 4;
    }
    for (std::size_t i = 0; i < dead.size(); ++i) y[s.ray(3, 0, 0) + i] = 2;  // view 3 is nonsense
    auto const weights = s.on_device(std::vector<float>(y.size(), 1));
    leave_out_rays(s.model->sinogram_layout(), dead, {3}, weights);
    auto const masked = s.recon(y, to_host(*s.model, weights), 15);
    auto const plain = s.recon(y, std::vector<float>(y.size(), 1), 15);
    auto const best = s.recon(s.clean, std::vector<float>(y.size(), 1), 15);
    EXPECT_LT(nrmse(masked, s.truth), 1.3 * nrmse(best, s.truth)) << name;
    EXPECT_LT(nrmse(masked, s.truth), 0.2 * nrmse(plain, s.truth)) << name;
  }
}

TEST(BadRays, ASliceThatNoRaySeesFollowsThePrior) {
  Scan const s;
  auto const& shape = s.model->recon_shape();
  auto const& sino = s.model->sinogram_shape();
  int const row = sino.num_det_rows / 2;
  std::vector<float> weights(s.clean.size(), 1);
  auto y = s.clean;
  for (int view = 0; view < sino.num_views; ++view)
    for (int channel = 0; channel < sino.num_det_channels; ++channel) {
      weights[s.ray(view, row, channel)] = 0;
      y[s.ray(view, row, channel)] = 0;
    }
  auto const image = s.recon(y, weights, 40);
  ASSERT_TRUE(finite(image));
  Index const middle = (Index(shape.num_rows / 2) * shape.num_cols + shape.num_cols / 2) * shape.num_slices;
  auto const at = [&](int slice) { return image[static_cast<std::size_t>(middle + slice)]; };
  EXPECT_NEAR(at(row), 0.5f * (at(row - 1) + at(row + 1)), 0.1f * at(row - 1));
  EXPECT_GT(at(row), 0.03f);
}

TEST(BadRays, WeightsThatAreZeroOrTinyGiveFiniteImages) {
  for (char const* name : {"parallel_basic", "cone_basic", "multiaxis_laminography", "translation_basic"}) {
    Scan const s(name);
    auto const& sino = s.model->sinogram_shape();
    std::vector<float> const ones(s.clean.size(), 1);
    auto const zeros = std::vector<float>(ones.size(), 0);
    auto view = ones, row = ones, channel = ones, tiny = ones, all_tiny = ones, huge = ones, one_ray = zeros;
    for (std::size_t i = 0; i < ones.size(); ++i) {
      std::size_t const c = i % sino.num_det_channels;
      if (i < ones.size() / sino.num_views) view[i] = 0;
      if (i / sino.num_det_channels % sino.num_det_rows == 1) row[i] = 0;
      if (c == 5) channel[i] = 0;
      if (i % 11 == 0) huge[i] = std::exp(50.f);
      if (c % 2) tiny[i] = 1e-38f;
      all_tiny[i] = 1e-38f;
    }
    one_ray[ones.size() / 2] = 1;
    for (auto const* weights : {&view, &row, &channel, &tiny, &all_tiny, &huge, &one_ray})
      EXPECT_TRUE(finite(s.recon(s.clean, *weights, 3))) << name;
    EXPECT_THROW(s.recon(s.clean, zeros, 3), InputError) << name;
    std::vector<float> line(1, -50), weight(1);
    EXPECT_THROW(compute_weights(WeightModel::transmission, line, weight), InputError);
  }
}

}  // namespace
}  // namespace strata::test
