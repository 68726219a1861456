#include <chrono>
#include <optional>

#include "bench/suite/operands.hpp"
#include "core/solver/model_regularisation.hpp"
#include "core/solver/schedule.hpp"
#include "core/solver/vcd_schedule.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"
#include "core/solver/weights.hpp"
#include "drivers/support/memory_meter.hpp"
#include "drivers/support/phantom.hpp"
#include "prior/qggmrf.hpp"

namespace strata::bench {
namespace {

constexpr int vcd_passes = 10;
/// Sinogram arrays that a weighted run cannot do without: error, weights, and one while it starts.
constexpr int sinograms_needed = 3;

/// A noisy scan of the Shepp-Logan phantom, on the host.
struct Measurement {
  std::vector<float> sinogram, weights;
};

Measurement simulate(TomographyModel const& model) {
  auto const& shape = model.recon_shape();
  std::vector<float> object(static_cast<std::size_t>(shape.size()));
  Phantom(PhantomKind::shepp_logan, shape).fill({0, shape.num_slices}, object);
  auto const scale = static_cast<float>(shepp_logan_scale(shape, 3) / model.geometry().params().delta_voxel);
  for (auto& value : object) value *= scale;
  auto const volume = model.make_volume("phantom");
  put(model, object, volume);
  auto const sinogram = model.make_sinogram("phantom");
  model.forward_project(volume, sinogram);
  Measurement result;
  result.sinogram = values_of(model, sinogram);
  CountingNoise(1e5, 1).apply(result.sinogram, {});
  result.weights.resize(result.sinogram.size());
  compute_weights(WeightModel::transmission, result.sinogram, result.weights);
  return result;
}

VCDSchedule default_schedule(TomographyModel const& model) {
  std::vector<int> pixels;
  for (std::size_t p = 0; p < model.mask().size(); ++p)
    if (model.mask()[p]) pixels.push_back(static_cast<int>(p));
  ScheduleParams params;
  params.granularity = default_granularity();
  params.partition_sequence = default_partition_sequence();
  params.max_iterations = vcd_passes;
  return make_schedule(params, pixels);
}

/// What one run leaves behind.
struct Run {
  ShardedVolume recon;
  Regularisation scales;
  double seconds_start = 0;  ///< schedule, scales, direct reconstruction, Hessian
  double seconds_passes = 0;
};

/// As strata_recon does it, without files. `sinogram` is overwritten. `damped`: slice means as the reference has them.
Run reconstruct(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const& weights,
                bool damped) {
  using Clock = std::chrono::steady_clock;
  auto const begin = Clock::now();
  Run run{model.make_volume("recon"), model_regularisation(model, sinogram, &weights)};
  VCDSchedule schedule = default_schedule(model);
  std::vector<SubsetPlan> plans;
  for (auto& partition : schedule.partitions) {
    plans.push_back(make_subset_plan(model, partition));
    partition = {};
  }
  VCDState const state{run.recon, model.make_volume("hessian"), sinogram, &weights};
  start_vcd(model, InitialImage::direct, false, state);
  auto const prior = make_qggmrf_prior({.sigma_x = run.scales.sigma_x, .nbr_wts = {}});
  VCDOptions vcd;
  vcd.sigma_y = run.scales.sigma_y;
  vcd.stop_threshold_change_pct = 0;
  if (damped) vcd.slice_mean_damping = model.geometry().slice_mean_damping();
  VCDSolver solver(model, *prior, vcd, state, std::move(plans));
  auto const started = Clock::now();
  int iteration = 0;
  for (auto const& pass : schedule.passes) solver.iterate(iteration++, pass.partition, pass.order);
  run.seconds_start = std::chrono::duration<double>(started - begin).count();
  run.seconds_passes = std::chrono::duration<double>(Clock::now() - started).count();
  return run;
}

Index bytes(ShardedVolume const& volume) {
  Index sum = 0;
  for (auto const& shard : volume.shards) sum += static_cast<Index>(shard.span() * sizeof(Real));
  return sum;
}

Index bytes(ShardedSinogram const& sinogram) {
  Index sum = 0;
  for (auto const& shard : sinogram.shards) sum += static_cast<Index>(shard.span() * sizeof(Real));
  return sum;
}

}  // namespace

RowResult run_vcd(Row const& row, RunOptions const& options) {
  Bench const bench(row);
  auto const& model = bench.model;
  Answers const answers(row, options);
  Measurement const measurement = simulate(model);
  auto const sinogram = model.make_sinogram("weighted_error");
  auto const weights = model.make_sinogram("weights");
  put(model, measurement.weights, weights);
  std::optional<Run> run;
  auto const prepare = [&] {
    run.reset();
    put(model, measurement.sinogram, sinogram);
    restart_memory_peaks();
  };
  RowResult result = projector_result(row, model, model.masked_pixels().size());
  result.work *= vcd_passes;
  result.fma = 0;
  bool const damped = row.scan.reference_mode;
  measure_row(bench, options, {prepare, [&] { run.emplace(reconstruct(model, sinogram, weights, damped)); }}, result);
  auto const volume_bytes = double(bytes(run->recon)), sinogram_bytes = double(bytes(sinogram));
  result.details = {
      {"passes", vcd_passes},
      {"seconds_start", run->seconds_start},
      {"seconds_passes", run->seconds_passes},
      {"sigma_x", run->scales.sigma_x},
      {"sigma_y", run->scales.sigma_y},
      {"volume_bytes", volume_bytes},
      {"sinogram_bytes", sinogram_bytes},
      {"sinograms_counted", sinograms_needed},
      {"volumes_beside_sinograms", (double(result.device_bytes) - sinograms_needed * sinogram_bytes) / volume_bytes}};
  answers.attribute("sigma_x", run->scales.sigma_x);
  answers.attribute("sigma_y", run->scales.sigma_y);
  answers.attribute("max_iterations", vcd_passes);
  if (answers) put(model, measurement.sinogram, sinogram);
  answers.write(model, "input", sinogram);
  answers.write(model, "weights", weights);
  answers.write(model, "answer", run->recon);
  return result;
}

}  // namespace strata::bench
