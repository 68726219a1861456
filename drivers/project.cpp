/// strata_project: one operator on one array.
#include <algorithm>
#include <iostream>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/sharded_io.hpp"
#include "core/model/device_work.hpp"
#include "core/model/memory_plan.hpp"
#include "core/model/model_plan.hpp"
#include "core/solver/direct_recon.hpp"
#include "drivers/support/inputs.hpp"
#include "drivers/support/program.hpp"
#include "drivers/support/results.hpp"
#include "drivers/support/weights_source.hpp"
#include "geometries/registry.hpp"

namespace strata {
namespace {

/// What the deck asks for.
struct ProjectJob {
  std::string operation;
  std::optional<DatasetName> sinogram, image;
  std::optional<DatasetName> weights;
  std::shared_ptr<Geometry const> geometry;
  std::vector<bool> mask;
};

ProjectJob read_job(Deck const& deck) {
  ProjectJob job;
  job.operation =
      deck.section("project").choice("operation", {"forward", "back", "hessian_diagonal", "direct_filter"}, "forward");
  DeckSection const input = deck.section("input");
  if (job.operation == "forward") job.image = require_dataset(input, "image", "/recon");
  if (job.operation == "back" || job.operation == "direct_filter")
    job.sinogram = require_dataset(input, "sinogram", "/sinogram");
  if (job.operation == "hessian_diagonal") job.weights = find_dataset(input, "weights", "/weights");
  // One deck may serve all operations.
  for (char const* key : {"sinogram", "image", "weights"}) input.allow(key);
  auto const shape = read_sinogram_shape(deck, job.sinogram ? job.sinogram : job.weights);
  job.geometry = make_geometry(deck.section("geometry"), shape);
  job.mask = read_region_mask(deck.section("geometry"), job.geometry->params().recon);
  if (job.image) require_volume_shape(*job.image, job.geometry->params().recon);
  return job;
}

MemoryPlan plan_memory(ProjectJob const& job, Devices const& devices) {
  auto const projections = job.operation == "direct_filter" ? Projections::none
                           : job.operation == "forward"     ? Projections::forward
                                                            : Projections::all;
  MemoryPlan plan = plan_model(*job.geometry, job.mask, devices, projections);
  // The operand comes first, with the parts in which it is read; then the result, with the parts in which it is
  // written.
  if (job.operation == "forward") {
    plan.add_volume("volume");
    plan.begin_stage("reading");
    plan.add_volume_staging();
  } else {
    plan.add_sinogram("sinogram");
    plan.begin_stage("reading");
    if (job.sinogram || job.weights) plan.add_sinogram_staging();
  }
  plan.begin_stage("projecting and writing");
  if (job.operation == "forward") plan.add_sinogram("sinogram");
  if (job.operation == "forward" || job.operation == "direct_filter") {
    plan.add_sinogram_staging();
  } else {
    plan.add_volume("volume");
    plan.add_volume_staging();
  }
  plan.end_stage();
  return plan;
}

ShardedSinogram weights_or_ones(ProjectJob const& job, TomographyModel const& model) {
  auto const weights = model.make_sinogram("weights");
  if (job.weights)
    read_weights(model, *job.weights, weights);
  else
    fill(model.sinogram_layout(), weights, 1);
  return weights;
}

/// Writes a sinogram-like result.
void write_result(ProgramContext& context, TomographyModel const& model, std::string const& dataset,
                  ShardedSinogram const& sinogram) {
  PhaseTimer const timer = context.time(Phase::write);
  AtomicHdf5Writer writer(context.output().file);
  write_sinogram(writer, dataset, model.sinogram_layout(), sinogram);
  writer.set_attribute(dataset, "axes", "view, det_row, channel");
  context.write_provenance(writer);
  writer.commit();
}

/// Writes a volume-like result.
void write_result(ProgramContext& context, TomographyModel const& model, std::string const& dataset,
                  ShardedVolume const& volume, std::string const& units) {
  PhaseTimer const timer = context.time(Phase::write);
  AtomicHdf5Writer writer(context.output().file);
  write_recon(writer, dataset, model, volume, context.output().previews, units);
  context.write_provenance(writer);
  writer.commit();
}

void run(ProjectJob const& job, TomographyModel const& model, ProgramContext& context) {
  if (job.operation == "forward") {
    auto const image = [&] {
      PhaseTimer const timer = context.time(Phase::read);
      return load_volume(model, *job.image, "image");
    }();
    auto const sinogram = model.make_sinogram("sinogram");
    {
      PhaseTimer const timer = context.time(Phase::compute);
      model.forward_project(image, sinogram);
    }
    write_result(context, model, "/sinogram", sinogram);
    return;
  }
  auto const sinogram = [&] {
    PhaseTimer const timer = context.time(Phase::read);
    return job.sinogram ? load_sinogram(model, *job.sinogram, "sinogram") : weights_or_ones(job, model);
  }();
  if (job.operation == "direct_filter") {
    {
      PhaseTimer const timer = context.time(Phase::compute);
      direct_filter(model, sinogram, sinogram);
    }
    write_result(context, model, "/filtered_sinogram", sinogram);
    return;
  }
  auto const volume = model.make_volume("volume");
  {
    PhaseTimer const timer = context.time(Phase::compute);
    if (job.operation == "back")
      model.back_project(sinogram, volume);
    else
      model.hessian_diagonal(sinogram, volume);
  }
  write_result(context, model, "/" + std::string(job.operation == "back" ? "back_projection" : "hessian_diagonal"),
               volume, job.operation == "back" ? "ALU" : "ALU^2");
}

void project(ProgramContext& context) {
  ProjectJob const job = read_job(context.deck());
  for (auto const& name : {job.sinogram, job.image, job.weights})
    if (name) context.require_not_output(name->file);
  Devices const devices = context.make_devices(device_work(*job.geometry, job.mask));
  MemoryPlan plan = plan_memory(job, devices);
  context.start_run();
  report(context, *job.geometry, job.mask, plan);
  if (context.check_only()) return;
  TomographyModel const model(devices, job.geometry, job.mask, plan.exchange_bytes());
  run(job, model, context);
  log::info("wrote ", context.output().file);
  context.log_summary();
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  strata::ProgramInfo info;
  info.name = "strata_project";
  info.summary = "Applies one operator: forward or back projection, Hessian diagonal, direct filter";
  info.default_output = "project.h5";
  info.sections = {"input", "geometry", "project"};
  info.inputs = {"sinogram", "image", "weights"};
  return strata::run_program(argc, argv, info, strata::project);
}
