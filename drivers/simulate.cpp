/// strata_simulate: phantom to sinogram, with counting noise and weights when asked for.
#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/sharded_io.hpp"
#include "core/model/device_work.hpp"
#include "core/model/memory_plan.hpp"
#include "core/model/model_plan.hpp"
#include "drivers/support/inputs.hpp"
#include "drivers/support/phantom.hpp"
#include "drivers/support/program.hpp"
#include "drivers/support/results.hpp"
#include "geometries/registry.hpp"

namespace strata {
namespace {

struct NoiseParams {
  double photons = 0;
  int seed = 0;
};

struct SimulateJob {
  std::optional<DatasetName> phantom_file;
  std::optional<Phantom> phantom;
  double scale = 1;  ///< of the phantom's values
  std::optional<NoiseParams> noise;
  std::shared_ptr<Geometry const> geometry;
  std::vector<bool> mask;
};

std::optional<NoiseParams> read_noise(DeckSection const& simulate) {
  if (!simulate.has("noise")) return std::nullopt;
  DeckSection const section = simulate.section("noise");
  NoiseParams const noise{section.require<double>("photons"), section.get("seed", 1)};
  if (!(noise.photons > 0)) section.fail("photons", text("expected a number > 0, got ", noise.photons));
  return noise;
}

SimulateJob read_job(Deck const& deck) {
  SimulateJob job;
  job.geometry = make_geometry(deck.section("geometry"), read_sinogram_shape(deck, std::nullopt));
  auto const& params = job.geometry->params();
  job.mask = read_region_mask(deck.section("geometry"), params.recon);
  DeckSection const simulate = deck.section("simulate");
  job.noise = read_noise(simulate);
  if (simulate.has("phantom") && simulate.kind("phantom") == DeckSection::Kind::section) {
    job.phantom_file = require_dataset(simulate, "phantom", "/phantom");
    require_volume_shape(*job.phantom_file, params.recon);
  } else {
    auto const name =
        simulate.choice("phantom", {"shepp_logan", "shepp_logan_reference", "cube", "dots"}, "shepp_logan");
    job.phantom.emplace(parse_phantom(name), params.recon);
  }
  if (auto const attenuation = simulate.find<double>("target_max_attenuation")) {
    if (!(*attenuation > 0)) simulate.fail("target_max_attenuation", text("expected a number > 0, got ", *attenuation));
    job.scale = shepp_logan_scale(params.recon, *attenuation) / params.delta_voxel;
  }
  return job;
}

/// Slices of the phantom, a few at a time, into shards and into the file.
ShardedVolume make_phantom(SimulateJob const& job, TomographyModel const& model) {
  if (job.phantom_file) return load_volume(model, *job.phantom_file, "phantom");
  ReconShape const& shape = model.recon_shape();
  auto const volume = model.make_volume("phantom");
  // A phantom is made slice by slice, shards are filled pixel by pixel: hold the whole volume once.
  std::vector<float> values(shape.size());
  std::vector<float> slice(shape.num_pixels());
  for (int k = 0; k < shape.num_slices; ++k) {
    job.phantom->fill({k, k + 1}, slice);
    for (Index p = 0; p < shape.num_pixels(); ++p)
      values[p * shape.num_slices + k] = static_cast<float>(job.scale) * slice[p];
  }
  int const length = part_length(static_cast<int>(shape.num_pixels()), shape.num_slices, volume.num_devices());
  HostExchange const exchange(model.device_set(), Index(length) * shape.num_slices);
  for (int p = 0; p < shape.num_pixels(); p += length) {
    int const end = std::min<int>(p + length, static_cast<int>(shape.num_pixels()));
    exchange.put_pixels(volume, {p, end},
                        std::span(values).subspan(Index(p) * shape.num_slices, Index(end - p) * shape.num_slices));
  }
  return volume;
}

/// Writes /sinogram, and /weights with noise, view by view.
void write_views(AtomicHdf5Writer& writer, SimulateJob const& job, TomographyModel const& model,
                 ShardedSinogram const& sinogram) {
  SinogramShape const& shape = model.sinogram_shape();
  Index const per_view = Index(shape.num_det_rows) * shape.num_det_channels;
  Hdf5Shape const extents{shape.num_views, shape.num_det_rows, shape.num_det_channels};
  writer.create_dataset<float>("/sinogram", extents);
  if (job.noise) writer.create_dataset<float>("/weights", extents);
  std::optional<CountingNoise> noise;
  if (job.noise) noise.emplace(job.noise->photons, static_cast<std::uint64_t>(job.noise->seed));
  int const length = part_length(shape.num_views, per_view, sinogram.num_devices());
  HostExchange const exchange(model.device_set(), length * per_view);
  std::vector<float> values(length * per_view);
  std::vector<float> weights(job.noise ? values.size() : 0);
  for (int v = 0; v < shape.num_views; v += length) {
    Range const part{v, std::min(v + length, shape.num_views)};
    std::size_t const count = part.size() * per_view;
    Hdf5Shape const box{part.size(), shape.num_det_rows, shape.num_det_channels};
    exchange.get_views(sinogram, model.sinogram_layout(), part, std::span(values).first(count));
    if (noise) {
      noise->apply(std::span(values).first(count), std::span(weights).first(count));
      writer.write_slab("/weights", {v, 0, 0}, box, weights.data());
    }
    writer.write_slab("/sinogram", {v, 0, 0}, box, values.data());
  }
  writer.set_attribute("/sinogram", "axes", "view, det_row, channel");
}

void write(SimulateJob const& job, TomographyModel const& model, ShardedVolume const& phantom,
           ShardedSinogram const& sinogram, ProgramContext& context) {
  PhaseTimer const timer = context.time(Phase::write);
  AtomicHdf5Writer writer(context.output().file);
  write_views(writer, job, model, sinogram);
  write_recon(writer, "/phantom", model, phantom, context.output().previews);
  for (auto const& parameter : model.geometry().extra_parameters()) {
    auto const name = "/" + parameter.name;
    auto const count = static_cast<std::int64_t>(parameter.numbers.size());
    Hdf5Shape const extents =
        parameter.columns > 1 ? Hdf5Shape{count / parameter.columns, parameter.columns} : Hdf5Shape{count};
    writer.write<double>(name, extents, parameter.numbers);
    bool const is_angle = parameter.name == "angles" || parameter.name == "azimuths" || parameter.name == "elevations";
    writer.set_attribute(name, "units", is_angle ? "rad" : "ALU");
  }
  context.write_provenance(writer);
  writer.commit();
}

MemoryPlan plan_memory(SimulateJob const& job, Devices const& devices) {
  ReconShape const& shape = job.geometry->params().recon;
  MemoryPlan plan = plan_model(*job.geometry, job.mask, devices, Projections::forward);
  plan.add_volume("phantom");
  plan.begin_stage("making the phantom");
  if (!job.phantom_file)
    plan.add_host("phantom in one piece", (shape.size() + shape.num_pixels()) * Index(sizeof(float)));
  plan.add_volume_staging();
  plan.begin_stage("projecting and writing");
  plan.add_sinogram("sinogram");
  plan.add_sinogram_staging();
  if (job.noise) plan.add_host("parts of the weights", plan.items().back().device_bytes[0]);
  plan.begin_stage("writing the phantom");
  plan.add_sinogram("sinogram");
  plan.add_volume_staging();
  plan.end_stage();
  return plan;
}

void simulate(ProgramContext& context) {
  SimulateJob const job = read_job(context.deck());
  if (job.phantom_file) context.require_not_output(job.phantom_file->file);
  Devices const devices = context.make_devices(device_work(*job.geometry, job.mask));
  MemoryPlan plan = plan_memory(job, devices);
  context.start_run();
  report(context, *job.geometry, job.mask, plan);
  if (context.check_only()) return;
  TomographyModel const model(devices, job.geometry, job.mask, plan.exchange_bytes());
  ShardedVolume const phantom = [&] {
    PhaseTimer const timer = context.time(Phase::read);
    return make_phantom(job, model);
  }();
  auto const sinogram = model.make_sinogram("sinogram");
  {
    PhaseTimer const timer = context.time(Phase::compute);
    model.forward_project(phantom, sinogram);
  }
  write(job, model, phantom, sinogram, context);
  log::info("wrote ", context.output().file);
  context.log_summary();
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  strata::ProgramInfo info;
  info.name = "strata_simulate";
  info.summary = "Projects a phantom, with counting noise and weights when asked for";
  info.default_output = "simulated.h5";
  info.sections = {"geometry", "simulate"};
  return strata::run_program(argc, argv, info, strata::simulate);
}
