#include "bench/suite/operands.hpp"
#include "prior/qggmrf.hpp"

namespace strata::bench {
namespace {

constexpr double prior_sigma_x = 0.2;  // a usual ratio to the differences of random voxels in [0, 1)

/// The gradient at `pixels`; with several devices the slices at shard borders are fetched first, as VCD does.
RowResult run(Row const& row, RunOptions const& options, Bench const& bench, PixelSet const& pixels) {
  auto const& model = bench.model;
  Answers const answers(row, options);
  auto const prior = make_qggmrf_prior({.sigma_x = prior_sigma_x, .nbr_wts = {}});
  auto const volume = random_volume(model);
  auto const gradient = make_volume(model.recon_placement(), pixels.size(), "gradient");
  auto const curvature = make_volume(model.recon_placement(), pixels.size(), "curvature");
  Halo const halo(model.recon_placement(), model.recon_shape().num_pixels());
  RowResult result;
  result.devices = bench.devices->summary();
  result.work = double(pixels.size()) * model.recon_shape().num_slices;
  result.unit = "voxels";
  result.bytes = 3 * sizeof(Real) * result.work;
  auto const call = [&] {
    halo.exchange(volume);
    bench.devices->for_each([&](int d, ExecSpace const& exec) {
      VolumeShard const shard{model.recon_shape(), model.recon_placement().blocks(), d, volume[d], halo.below(d),
                              halo.above(d)};
      prior->gradient_and_curvature(exec, shard, pixels.devices[static_cast<std::size_t>(d)], gradient[d],
                                    curvature[d]);
    });
  };
  measure_row(bench, options, {.call = call}, result);
  answers.attribute("sigma_x", prior_sigma_x);
  answers.write("pixels", pixels.host);
  answers.write(model, "input", volume);
  answers.write(model, "answer", gradient, pixels.size());
  answers.write(model, "answer_curvature", curvature, pixels.size());
  return result;
}

}  // namespace

RowResult run_prior(Row const& row, RunOptions const& options) {
  Bench const bench(row);
  return run(row, options, bench, bench.model.all_pixels());
}

RowResult run_prior_subset(Row const& row, RunOptions const& options) {
  Bench const bench(row);
  return run(row, options, bench, bench.model.make_pixel_set(random_pixels(row.scan.recon, 16)));
}

}  // namespace strata::bench
