#include "drivers/support/recon_run.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <optional>

#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/solver/coarse_start.hpp"
#include "core/solver/direct_recon.hpp"
#include "core/solver/vcd_reconstruction.hpp"
#include "drivers/support/checkpoint.hpp"
#include "drivers/support/coarse_prior.hpp"
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

/// Nothing where the objective is not computed.
std::string objective_text(IterationStats const& stats) {
  if (!std::isfinite(stats.objective)) return "";
  std::string line = text(", objective ", std::setprecision(9), stats.objective);
  if (std::isfinite(stats.excess_pct)) line += text(", at most ", stats.excess_pct, " % above its minimum");
  if (stats.mended_cylinders > 0) line += text(", ", stats.mended_cylinders, " cylinders mended");
  return line;
}

void log_iteration(IterationStats const& stats, int last, bool prior_loss) {
  log::info("iteration ", stats.iteration + 1, " of ", last, ": forward loss ", stats.fm_rmse, ", change ",
            stats.pct_change, " %, alpha ", stats.alpha, prior_loss ? text(", prior loss ", stats.prior_loss) : "",
            objective_text(stats), ", ", stats.seconds, " s");
}

/// Why the run ended, and what is left.
void log_end(VCDOptions const& options, ReconResult const& result) {
  if (result.history.empty()) return;
  IterationStats const& last = result.history.back();
  bool const known = std::isfinite(last.excess_pct);
  std::string const excess =
      known ? text("the objective is at most ", last.excess_pct, " % above its minimum (an estimate)") : "";
  if (result.converged && last.pct_change < options.stop_threshold_change_pct)
    log::info("converged: the change is below stop_threshold_change_pct = ", options.stop_threshold_change_pct, " %",
              known ? "; " : "", excess);
  else if (result.converged)
    log::info("converged: ", excess, ", stop_excess_pct = ", options.stop_excess_pct);
  else if (options.stop_excess_pct > 0)
    log::warn("not converged: max_iterations reached, ",
              known ? excess : "too few passes to estimate how far the objective is above its minimum");
  else if (options.stop_threshold_change_pct > 0)
    log::warn("not converged: max_iterations reached at a change of ", last.pct_change, " %", known ? "; " : "",
              excess);
}

ReconResult run_direct(ReconJob const& job, PreparedScan& scan, bool last, ProgramContext& context) {
  PhaseTimer const timer = context.time(Phase::compute);
  TomographyModel const& model = scan.model();
  ReconResult result{model.make_volume("recon"), {}, true};
  ShardedSinogram const sinogram = last ? scan.take_sinogram() : scan.sinogram();
  direct_recon(model, sinogram, last ? sinogram : model.make_sinogram("filtered"), result.recon, job.settings.direct);
  return result;
}

/// Sets `recon`, which holds zeros, to the initial image, where there is one.
void set_initial_image(ReconJob const& job, TomographyModel const& model,
                       std::optional<ShardedVolume> const& prox_input, ShardedVolume const& recon) {
  if (auto const* given = std::get_if<DatasetName>(&job.initial)) load_image(model, *given, recon);
  if (std::holds_alternative<ProxInputAsImage>(job.initial)) copy(*prox_input, recon);
  // The reference fills the whole plane; by default what lies outside the region of reconstruction stays 0.
  auto const& pixels = job.settings.vcd.reference_mode ? model.all_pixels() : model.masked_pixels();
  if (auto const* constant = std::get_if<double>(&job.initial)) model.fill(recon, pixels, static_cast<Real>(*constant));
}

void begin_on_coarse_grids(ReconJob const& job, PreparedScan& scan, Prior const& prior,
                           std::optional<ShardedVolume> const& prox_input, ShardedVolume const& image) {
  auto const& settings = job.settings;
  auto const level_prior = [&](CoarseGrid const& grid) {
    return settings.algorithm == "prox" ? coarse_proximal(*prox_input, *settings.sigma_prox, grid)
                                        : coarse_qggmrf(settings.prior, grid);
  };
  CoarseStartResult const result =
      coarse_start(scan, prior, {settings.vcd, settings.direct, level_prior, settings.schedule.seed}, image);
  std::string const direct = scan.model().geometry().direct_name();
  if (result.better())
    log::info("initial image: from grids ", joined(coarse_factors(scan.model().geometry())), " times coarser (",
              job.coarse_start, "), with ", result.detail, " of the detail of ", direct, ": objective ",
              result.objective, ", that of ", direct, " alone ", result.direct_objective);
  else
    log::info("initial image: ", direct, ", objective ", result.direct_objective,
              "; the one from coarser grids is no better: ", result.objective);
}

/// Sets image and error sinogram: from the checkpoint, whose history is returned, or as the deck says.
std::vector<IterationStats> begin(ReconJob const& job, PreparedScan& scan, Prior const& prior,
                                  std::optional<ShardedVolume> const& prox_input, Checkpoint const& checkpoint,
                                  VCDReconstruction& reconstruction, ProgramContext& context) {
  TomographyModel const& model = scan.model();
  bool const resume = context.resume();
  std::vector<IterationStats> history;
  bool const direct = std::holds_alternative<std::monostate>(job.initial) && !resume;
  {
    PhaseTimer const timer = context.time(Phase::read);
    if (resume) {
      history = checkpoint.resume(model, reconstruction.image(), job.settings.schedule.seed);
      log::info("resuming after ", history.size(), " iterations");
    } else {
      set_initial_image(job, model, prox_input, reconstruction.image());
    }
  }
  // No pass ever looks there again. The reference lets it stay, as neighbours of the region.
  if (!direct && !job.settings.vcd.reference_mode) model.clear_outside(reconstruction.image());
  bool const coarse = direct && !job.coarse_start.empty();
  if (coarse) begin_on_coarse_grids(job, scan, prior, prox_input, reconstruction.image());
  if (direct && !coarse)
    log::info("initial image: ", model.geometry().direct_name(), ", scaled by ",
              reconstruction.start_direct(job.settings.direct));
  else
    reconstruction.start_given();
  if (resume)
    reconstruction.take_up_steps(checkpoint.num_steps(), [&](int step, ShardedVolume const& volume) {
      checkpoint.read_step(step, model.recon_shape().num_cols, volume);
      model.clear_outside(volume);
    });
  return history;
}

/// The passes of the schedule, with stop test, checkpoints and interruption. `result` holds the history of a resumed
/// run.
void iterate(ReconJob const& job, TomographyModel const& model, VCDReconstruction& reconstruction, int passes,
             Checkpoint& checkpoint, ReconResult& result) {
  auto const& settings = job.settings;
  int const first = settings.schedule.first_iteration;
  int const done = static_cast<int>(result.history.size());
  std::vector<double> earlier;
  for (auto const& stats : result.history) earlier.push_back(stats.objective);
  auto const write_checkpoint = [&](bool force) {
    checkpoint.write_if_due(model, {result.recon, result.history, reconstruction.earlier_steps()},
                            settings.schedule.seed, force);
  };
  Progress progress("reconstruction", passes);
  try {
    auto const observe = [&](IterationStats const& stats) {
      result.history.push_back(stats);
      log_iteration(stats, first + passes, settings.vcd.compute_prior_loss);
      progress.update(stats.iteration - first + 1, std::isfinite(stats.excess_pct)
                                                       ? text("excess below ", stats.excess_pct, " %")
                                                       : text("change ", stats.pct_change, " %"));
      // It is written next: neither a checkpoint nor a signal may keep it from that.
      if (stats.converged) return;
      write_checkpoint(false);
      check_interrupt();
    };
    result.converged = reconstruction.iterate({done, std::max(passes - done, 0), earlier}, observe).converged;
  } catch (Interrupted const&) {
    write_checkpoint(true);
    throw;
  }
  progress.finish();
  log_end(settings.vcd, result);
}

/// Goes on with weights that follow the errors, round by round, `passes` each. The scan gets its weights back at the
/// end unless nobody needs them.
void follow_errors(ReconJob const& job, PreparedScan& scan, VCDReconstruction& reconstruction, int passes, bool last,
                   Checkpoint& checkpoint, ReconResult& result) {
  TomographyModel const& model = scan.model();
  HuberSource const& huber = *job.weights.huber;
  ShardedSinogram const& weights = *scan.weights();
  auto const base = model.make_sinogram("weights_before");
  copy(weights, base);
  for (int round = 1; round <= huber.rounds; ++round) {
    double const share = huber_weights(model, huber.options, base, reconstruction.weighted_error(), weights);
    log::info("weights: round ", round, " of ", huber.rounds, ", ", 100 * share, " % of the rays miss by more than ",
              huber.options.threshold, " standard deviations and count less");
    scan.weights_changed();
    reconstruction.start_given();
    ReconResult more{result.recon, {}, false};
    iterate(job, model, reconstruction, passes, checkpoint, more);
    result.history.insert(result.history.end(), more.history.begin(), more.history.end());
    result.converged = more.converged;
  }
  if (last) return;
  copy(base, weights);
  scan.weights_changed();
}

}  // namespace

PreparedScan load_scan(ReconJob const& job, TomographyModel const& model, bool with_weights, ProgramContext& context) {
  PhaseTimer const timer = context.time(Phase::read);
  auto sinogram = load_sinogram(model, job.sinogram, "sinogram");
  auto weights = with_weights ? load_weights(model, job.weights, job.sinogram, sinogram) : std::nullopt;
  return {model, std::move(sinogram), std::move(weights)};
}

ReconResult run_recon(ReconJob& job, PreparedScan& scan, bool last, ProgramContext& context) {
  if (!job.settings.iterative()) return run_direct(job, scan, last, context);
  TomographyModel const& model = scan.model();
  std::optional<ShardedVolume> prox_input;
  if (needs_prox_input(job)) {
    PhaseTimer const timer = context.time(Phase::read);
    prox_input = model.make_volume("prox_input");
    load_volume(model, *job.prox_input, *prox_input);
  }
  PhaseTimer const timer = context.time(Phase::compute);
  regularise(model, scan.sinogram(), scan.weights(), context.deck().section("reconstruction"), job.settings);
  auto& settings = job.settings;
  if (settings.slice_mean_damping) settings.vcd.slice_mean_damping = model.geometry().slice_mean_damping();
  auto const prior = settings.algorithm == "prox" ? make_proximal_prior(*prox_input, *settings.sigma_prox)
                                                  : make_qggmrf_prior(settings.prior);
  VCDOptions options = settings.vcd;
  options.interrupt_within_pass = !context.checkpoint().enabled();
  VCDSchedule schedule = schedule_of(job);
  int const passes = static_cast<int>(schedule.passes.size());
  bool const keep = keeps_sinogram(job, last);
  VCDReconstruction reconstruction(scan, *prior, options, std::move(schedule),
                                   keep ? VCDReconstruction::Sinogram::kept : VCDReconstruction::Sinogram::used_up);
  Checkpoint checkpoint(context.checkpoint(), context.output().file, context.deck().resolved());
  ReconResult result{reconstruction.image(), {}, false};
  result.history = begin(job, scan, *prior, prox_input, checkpoint, reconstruction, context);
  iterate(job, model, reconstruction, passes, checkpoint, result);
  if (job.weights.huber) follow_errors(job, scan, reconstruction, passes, last, checkpoint, result);
  return result;
}

}  // namespace strata
