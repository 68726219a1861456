/// strata_denoise: a volume, denoised.
#include "core/base/log.hpp"
#include "core/model/device_work.hpp"
#include "drivers/support/checkpoint.hpp"
#include "drivers/support/denoise_run.hpp"
#include "drivers/support/results.hpp"

namespace strata {
namespace {

void write(DenoiseJob const& job, DenoiseResult const& result, ProgramContext& context) {
  PhaseTimer const timer = context.time(Phase::write);
  AtomicHdf5Writer writer(context.output().file);
  auto const pictures = write_recon(writer, "/recon", job.grid, result.recon, context.output().previews, job.units);
  write_history(writer, result.history, false);
  context.write_provenance(writer);
  writer.commit();
  Checkpoint(context.checkpoint(), context.output().file).remove();
  for (auto const& picture : pictures) log::info("picture: ", picture);
  log::info("wrote ", context.output().file);
}

void denoise(ProgramContext& context) {
  DenoiseJob job = read_denoise_job(context.deck());
  context.require_not_output(job.image.file);
  Devices const devices = context.make_devices(device_work(job.grid.shape, static_cast<Index>(job.pixels.size())));
  MemoryPlan plan = plan_memory(job, devices);
  context.start_run();
  report(context, describe(job, plan.slices()), plan);
  if (context.check_only()) return;
  DenoiseResult const result = run_denoise(job, plan.slices(), context);
  write(job, result, context);
  context.log_summary();
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  strata::ProgramInfo info;
  info.name = "strata_denoise";
  info.summary = "Denoises a volume with the QGGMRF prior";
  info.resumable = true;
  info.default_output = "denoised.h5";
  info.sections = {"input", "denoise"};
  info.inputs = {"image", "initial_image"};
  return strata::run_program(argc, argv, info, strata::denoise);
}
