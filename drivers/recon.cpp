/// strata_recon: sinogram to volume.
#include "core/base/log.hpp"
#include "drivers/support/program.hpp"
#include "drivers/support/recon_run.hpp"
#include "drivers/support/results.hpp"

namespace strata {
namespace {

void write(ReconJob const& job, TomographyModel const& model, ReconResult const& result, ProgramContext& context) {
  PhaseTimer const timer = context.time(Phase::write);
  AtomicHdf5Writer writer(context.output().file);
  auto const pictures = write_recon(writer, "/recon", model, result.recon, context.output().previews);
  if (job.settings.iterative()) write_history(writer, result.history, job.settings.vcd.compute_prior_loss);
  context.write_provenance(writer);
  writer.commit();
  for (auto const& picture : pictures) log::info("picture: ", picture);
  log::info("wrote ", context.output().file);
}

void recon(ProgramContext& context) {
  ReconJob job = read_recon_job(context.deck());
  context.require_not_output(job.sinogram.file);
  Devices const devices = context.make_devices();
  MemoryPlan const plan = plan_memory(job, devices);
  context.start_run();
  report(context, *job.geometry, job.mask, plan);
  if (context.check_only()) return;
  TomographyModel const model(devices, job.geometry, job.mask);
  ReconResult const result = run_recon(job, model, context);
  write(job, model, result, context);
  context.log_summary();
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  strata::ProgramInfo info;
  info.name = "strata_recon";
  info.summary = "Reconstructs a volume from a sinogram";
  info.resumable = true;
  info.default_output = "recon.h5";
  info.sections = {"input", "geometry", "reconstruction"};
  info.inputs = {"sinogram", "weights", "initial_image", "prox_input"};
  return strata::run_program(argc, argv, info, strata::recon);
}
