#include <algorithm>

#include "bench/suite/operands.hpp"
#include "core/solver/denoiser.hpp"
#include "prior/qggmrf.hpp"

namespace strata::bench {
namespace {

constexpr int passes = 10;
constexpr double sigma_noise = 0.1;
constexpr double sigma_x = 0.2;

}  // namespace

RowResult run_denoise(Row const& row, RunOptions const& options) {
  Bench const bench(row);
  auto const& model = bench.model;
  Answers const answers(row, options);
  auto const prior = make_qggmrf_prior({.sigma_x = sigma_x, .nbr_wts = {}});
  auto const image = random_volume(model);
  auto const recon = model.make_volume("recon");
  auto pixels = model.all_pixels().host;
  std::ranges::sort(pixels);
  Denoiser denoiser(*prior, {.sigma_noise = sigma_noise}, model.recon_shape(), image, recon,
                    denoiser_partition(pixels, model.recon_shape(), false, 0));
  RowResult result;
  result.devices = bench.devices->summary();
  result.work = double(passes) * double(model.recon_shape().size());
  result.unit = "voxels";
  result.bytes = 3 * sizeof(Real) * result.work;  // image read, denoised image read and written
  auto const call = [&] {
    for (int pass = 0; pass < passes; ++pass) denoiser.iterate(pass);
  };
  measure_row(bench, options, {[&] { copy(image, recon); }, call}, result);
  result.details = {{"passes", passes}, {"sigma_noise", sigma_noise}, {"sigma_x", sigma_x}};
  answers.attribute("sigma_noise", sigma_noise);
  answers.attribute("sigma_x", sigma_x);
  answers.attribute("max_iterations", passes);
  answers.write(model, "input", image);
  answers.write(model, "answer", recon);
  return result;
}

}  // namespace strata::bench
