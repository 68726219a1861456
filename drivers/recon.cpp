/// strata_recon: sinogram to volume.
#include <algorithm>
#include <iostream>

#include "core/base/log.hpp"
#include "core/model/device_work.hpp"
#include "drivers/support/checkpoint.hpp"
#include "drivers/support/program.hpp"
#include "drivers/support/recon_list.hpp"
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
  Checkpoint(context.checkpoint(), context.output().file).remove();
  for (auto const& picture : pictures) log::info("picture: ", picture);
  log::info("wrote ", context.output().file);
}

/// Checks everything that can be known before the first array is allocated, and reports it.
MemoryPlan start(ProgramContext& context, std::vector<ReconItem>& items, Devices const& devices) {
  std::vector<ReconJob const*> jobs;
  for (auto& item : items) {
    jobs.push_back(&item.job);
    item.context.require_not_output(item.job.sinogram.file);
    if (item.job.weights.huber && item.context.checkpoint().enabled())
      item.context.deck().fail("output.checkpoint",
                               "expected none with weights of type huber: a checkpoint does not hold their rounds");
  }
  MemoryPlan plan = plan_memory(jobs, devices, context.checkpoint().enabled());
  for (std::size_t i = 1; i < items.size(); ++i) items[i].context.check_run();
  auto& first = items.front();
  first.context.start_run();
  report(first.context, *first.job.geometry, first.job.mask, plan);
  for (auto& item : items) item.job.settings.vcd.max_exchange_bytes = plan.subset_exchange_bytes();
  context.provenance().estimated_device_bytes = first.context.provenance().estimated_device_bytes;
  context.provenance().estimated_host_bytes = first.context.provenance().estimated_host_bytes;
  if (items.size() == 1) return plan;
  std::vector<std::string> lines{text("reconstructions: ", items.size(), " of one scan, read and prepared once")};
  for (auto const& item : items) lines.push_back("  " + describe(item));
  for (auto const& line : lines) {
    if (context.check_only())
      std::cout << line << '\n';
    else
      log::info(line);
  }
  return plan;
}

/// All items on one scan. Their clocks go on from one to the next: seconds are those of the run until then.
void reconstruct(ProgramContext& context, std::vector<ReconItem>& items, TomographyModel const& model) {
  auto const pending = [](ReconItem const& item) { return !item.done; };
  auto const first = std::find_if(items.begin(), items.end(), pending);
  auto const last = std::find_if(items.rbegin(), items.rend(), pending).base() - 1;
  bool const with_weights = std::any_of(
      items.begin(), items.end(), [&](ReconItem const& item) { return !item.done && item.job.settings.iterative(); });
  PreparedScan scan = load_scan(first->job, model, with_weights, context);
  for (auto item = items.begin(); item != items.end(); ++item) {
    if (!item->name.empty()) log::info(describe(*item), item->done ? ": written before, nothing to do" : "");
    if (item->done) continue;
    item->context.provenance() = context.provenance();
    ReconResult const result = run_recon(item->job, scan, item == last, item->context);
    write(item->job, model, result, item->context);
    context.provenance() = item->context.provenance();
  }
}

void recon(ProgramContext& context) {
  std::vector<ReconItem> items = read_recon_items(context);
  ReconJob const& first = items.front().job;
  Devices const devices = context.make_devices(device_work(*first.geometry, first.mask));
  for (auto& item : items) item.context.provenance() = context.provenance();
  if (context.resume()) plan_resume(items);
  MemoryPlan const plan = start(context, items, devices);
  if (context.check_only()) return;
  TomographyModel const model(devices, items.front().job.geometry, items.front().job.mask, plan.exchange_bytes());
  reconstruct(context, items, model);
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
  info.sections = {"input", "geometry", "reconstruction", "reconstructions"};
  info.inputs = {"sinogram", "weights", "initial_image", "prox_input"};
  return strata::run_program(argc, argv, info, strata::recon);
}
