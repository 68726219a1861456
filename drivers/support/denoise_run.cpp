#include "drivers/support/denoise_run.hpp"

#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/solver/denoiser.hpp"
#include "core/solver/noise_estimate.hpp"
#include "drivers/support/checkpoint.hpp"
#include "prior/qggmrf.hpp"

namespace strata {
namespace {

void fill(ShardedVolume const& volume, Real value) {
  volume.placement.devices()->for_each(
      [&](int d, ExecSpace const& exec) { Kokkos::deep_copy(exec, volume[d], value); });
  volume.placement.devices()->fence("fill: the volume is read next");
}

void set_initial_image(DenoiseJob const& job, ShardedVolume const& image, ShardedVolume const& recon) {
  if (auto const* given = std::get_if<DatasetName>(&job.initial))
    load_image(job.grid, *given, recon);
  else if (auto const* constant = std::get_if<double>(&job.initial))
    fill(recon, static_cast<Real>(*constant));
  else
    copy(image, recon);
}

/// Chooses the scales that are not given, records them in the resolved deck.
void choose_scales(DenoiseJob& job, ShardedVolume const& image, DeckSection const& section) {
  bool const estimated = !job.sigma_noise;
  ImageRows const rows = rows_of(image, job.grid.shape);
  if (!job.sigma_noise) job.sigma_noise = estimate_noise(rows);
  require(*job.sigma_noise > 0 && std::isfinite(*job.sigma_noise),
          "denoise.sigma_noise: the noise of the image comes out as ", *job.sigma_noise,
          ", expected more than 0; where the image has none, give sigma_noise");
  if (!job.sigma_x) job.sigma_x = denoiser_sigma_x(rows, *job.sigma_noise, job.sharpness);
  require(*job.sigma_x > 0 && std::isfinite(*job.sigma_x),
          "denoise.sigma_x: the differences between voxels come out as ", *job.sigma_x,
          ", expected more than 0; where the image is constant, give sigma_x");
  section.record("sigma_noise", *job.sigma_noise);
  section.record("sigma_x", *job.sigma_x);
  log::info("regularisation: sigma_noise ", *job.sigma_noise, estimated ? " (estimated)" : "", ", sigma_x ",
            *job.sigma_x, " (sharpness ", job.sharpness, "; raise it for crisper, lower it for smoother images)");
}

void require_finite(IterationStats const& stats) {
  require(std::isfinite(stats.fm_rmse) && std::isfinite(stats.pct_change), "iteration ", stats.iteration + 1,
          ": the image is not finite any more: its values or the sigmas are beyond what single precision can hold");
}

/// The passes, with stop test, checkpoints and interruption. `result` holds the history of a resumed run.
void iterate(DenoiseJob const& job, Denoiser& denoiser, Checkpoint& checkpoint, DenoiseResult& result) {
  Progress progress("denoising", job.max_iterations);
  try {
    for (int pass = static_cast<int>(result.history.size()); pass < job.max_iterations; ++pass) {
      auto const stats = denoiser.iterate(pass);
      require_finite(stats);
      result.history.push_back(stats);
      log::info("iteration ", pass + 1, " of ", job.max_iterations, ": forward loss ", stats.fm_rmse, ", change ",
                stats.pct_change, " %, alpha ", stats.alpha, ", ", stats.seconds, " s");
      progress.update(pass + 1, text("change ", stats.pct_change, " %"));
      result.converged = stats.pct_change < job.stop_threshold_change_pct;
      if (result.converged) break;
      checkpoint.write_if_due(job.grid, {result.recon, result.history}, job.seed);
      check_interrupt();
    }
  } catch (Interrupted const&) {
    checkpoint.write_if_due(job.grid, {result.recon, result.history}, job.seed, true);
    throw;
  }
  progress.finish();
  if (result.converged)
    log::info("converged: the change is below stop_threshold_change_pct = ", job.stop_threshold_change_pct, " %");
  else if (job.stop_threshold_change_pct > 0 && !result.history.empty())
    log::warn("not converged: max_iterations reached at a change of ", result.history.back().pct_change, " %");
}

}  // namespace

DenoiseResult run_denoise(DenoiseJob& job, Placement const& slices, ProgramContext& context) {
  auto const image = make_volume(slices, job.grid.shape.num_pixels(), "image");
  DenoiseResult result{make_volume(slices, job.grid.shape.num_pixels(), "recon"), {}, false};
  Checkpoint checkpoint(context.checkpoint(), context.output().file, context.deck().resolved());
  {
    PhaseTimer const timer = context.time(Phase::read);
    load_volume(job.grid, job.image, image);
    if (context.resume()) {
      result.history = checkpoint.resume(job.grid, result.recon, job.seed);
      log::info("resuming after ", result.history.size(), " iterations");
    } else {
      set_initial_image(job, image, result.recon);
    }
  }
  PhaseTimer const timer = context.time(Phase::compute);
  choose_scales(job, image, context.deck().section("denoise"));
  job.prior.sigma_x = *job.sigma_x;
  auto const prior = make_qggmrf_prior(job.prior);
  DenoiserOptions options;
  options.sigma_noise = *job.sigma_noise;
  options.reference_mode = job.reference_mode;
  options.interrupt_within_pass = !context.checkpoint().enabled();
  Denoiser denoiser(*prior, options, job.grid.shape, image, result.recon, job.partition);
  iterate(job, denoiser, checkpoint, result);
  return result;
}

}  // namespace strata
