#include "drivers/support/recon_run.hpp"

#include <cmath>
#include <memory>

#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/solver/direct_recon.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"
#include "drivers/support/checkpoint.hpp"
#include "drivers/support/regularise.hpp"
#include "prior/proximal.hpp"

namespace strata {
namespace {

VCDSchedule schedule_of(ReconJob const& job) {
  if (job.settings.replay) return read_replay(job.settings, static_cast<int>(job.mask.size()));
  std::vector<int> pixels;
  for (std::size_t p = 0; p < job.mask.size(); ++p)
    if (job.mask[p]) pixels.push_back(static_cast<int>(p));
  return make_schedule(job.settings.schedule, pixels);
}

void log_iteration(IterationStats const& stats, int last, bool prior_loss) {
  log::info("iteration ", stats.iteration + 1, " of ", last, ": forward loss ", stats.fm_rmse, ", change ",
            stats.pct_change, " %, alpha ", stats.alpha, prior_loss ? text(", prior loss ", stats.prior_loss) : "",
            ", ", stats.seconds, " s");
}

ReconResult run_direct(ReconJob const& job, TomographyModel const& model, ProgramContext& context) {
  ShardedSinogram const sinogram = [&] {
    PhaseTimer const timer = context.time(Phase::read);
    return load_sinogram(model, job.sinogram, "sinogram");
  }();
  ReconResult result{model.make_volume("recon"), {}, true};
  PhaseTimer const timer = context.time(Phase::compute);
  direct_recon(model, sinogram, sinogram, result.recon, job.settings.direct);
  return result;
}

ShardedVolume initial_image(ReconJob const& job, TomographyModel const& model) {
  if (auto const* given = std::get_if<DatasetName>(&job.initial)) return load_volume(model, *given, "recon");
  auto const recon = model.make_volume("recon");
  // The reference fills the whole plane; by default what lies outside the region of reconstruction stays 0.
  auto const& pixels = job.settings.vcd.reference_mode ? model.all_pixels() : model.masked_pixels();
  if (auto const* constant = std::get_if<double>(&job.initial)) model.fill(recon, pixels, static_cast<Real>(*constant));
  return recon;
}

/// The arrays of a run as they are read.
struct LoadedData {
  ShardedSinogram sinogram;
  std::optional<ShardedSinogram> weights;
  std::optional<ShardedVolume> prox_input;
  ShardedVolume recon;
};

LoadedData load(ReconJob const& job, TomographyModel const& model) {
  return {load_sinogram(model, job.sinogram, "weighted_error"), load_weights(model, job.weights, job.sinogram),
          job.prox_input ? std::optional(load_volume(model, *job.prox_input, "prox_input")) : std::nullopt,
          initial_image(job, model)};
}

/// Numbers that single precision cannot hold end up here as infinities; better a sentence than an image of them.
void require_finite(IterationStats const& stats) {
  for (double const value : {stats.fm_rmse, stats.pct_change, stats.alpha, stats.prior_loss})
    require(std::isfinite(value), "iteration ", stats.iteration + 1,
            ": the image or the error is not finite any more: ",
            "line integrals, weights, sigmas or the initial image are beyond what single precision can hold");
}

/// The passes of the schedule, with stop test, checkpoints and interruption.
void iterate(ReconJob const& job, TomographyModel const& model, VCDSchedule const& schedule, VCDSolver& solver,
             Checkpoint& checkpoint, ReconResult& result) {
  int const first = job.settings.schedule.first_iteration;
  int const last = first + static_cast<int>(schedule.passes.size());
  bool const prior_loss = job.settings.vcd.compute_prior_loss;
  Progress progress("reconstruction", last - first);
  try {
    for (int pass = static_cast<int>(result.history.size()); pass < last - first; ++pass) {
      auto const& step = schedule.passes[pass];
      result.history.push_back(solver.iterate(first + pass, step.partition, step.order));
      require_finite(result.history.back());
      auto const& stats = result.history.back();
      log_iteration(stats, last, prior_loss);
      progress.update(pass + 1, text("change ", stats.pct_change, " %"));
      result.converged = stats.pct_change < job.settings.vcd.stop_threshold_change_pct;
      if (result.converged) break;
      checkpoint.write_if_due(model, result.recon, result.history, job.settings.schedule.seed);
      check_interrupt();
    }
  } catch (Interrupted const&) {
    checkpoint.write_if_due(model, result.recon, result.history, job.settings.schedule.seed, true);
    throw;
  }
  progress.finish();
  if (result.converged)
    log::info("converged: the change is below stop_threshold_change_pct = ", job.settings.vcd.stop_threshold_change_pct,
              " %");
  else if (job.settings.vcd.stop_threshold_change_pct > 0 && !result.history.empty())
    log::warn("not converged: max_iterations reached at a change of ", result.history.back().pct_change, " %");
}

}  // namespace

ReconResult run_recon(ReconJob& job, TomographyModel const& model, ProgramContext& context) {
  if (!job.settings.iterative()) return run_direct(job, model, context);
  LoadedData const data = [&] {
    PhaseTimer const timer = context.time(Phase::read);
    return load(job, model);
  }();
  PhaseTimer const timer = context.time(Phase::compute);
  ShardedSinogram const* const weights = data.weights ? &*data.weights : nullptr;
  regularise(model, data.sinogram, weights, context.deck().section("reconstruction"), job.settings);
  if (job.settings.slice_mean_damping) job.settings.vcd.slice_mean_damping = model.geometry().slice_mean_damping();
  auto const& settings = job.settings;
  auto const prior = settings.algorithm == "prox" ? make_proximal_prior(*data.prox_input, *settings.sigma_prox)
                                                  : make_qggmrf_prior(settings.prior);
  VCDSchedule schedule = schedule_of(job);
  std::vector<SubsetPlan> plans;
  for (auto& partition : schedule.partitions) {
    plans.push_back(make_subset_plan(model, partition));
    partition = {};
  }
  VCDState const state{data.recon, model.make_volume("hessian"), data.sinogram, weights};
  ReconResult result{state.recon, {}, false};
  auto initial = std::holds_alternative<std::monostate>(job.initial) ? InitialImage::direct : InitialImage::given;
  Checkpoint checkpoint(context.checkpoint(), context.output().file);
  if (context.resume()) {
    result.history = checkpoint.resume(model, state.recon, settings.schedule.seed);
    initial = InitialImage::given;
    log::info("resuming after ", result.history.size(), " iterations");
  }
  double const factor =
      start_vcd(model, initial, settings.vcd.positivity_flag && !settings.vcd.reference_mode, state, settings.direct);
  if (initial == InitialImage::direct)
    log::info("initial image: ", model.geometry().direct_name(), ", scaled by ", factor);
  VCDOptions options = settings.vcd;
  options.interrupt_within_pass = !context.checkpoint().enabled();
  VCDSolver solver(model, *prior, options, state, std::move(plans));
  iterate(job, model, schedule, solver, checkpoint, result);
  checkpoint.remove();
  return result;
}

}  // namespace strata
