#include "drivers/support/recon_job.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/error.hpp"
#include "core/model/model_plan.hpp"
#include "core/solver/coarse_memory.hpp"
#include "core/solver/coarse_start.hpp"
#include "core/solver/schedule.hpp"
#include "core/solver/vcd_memory.hpp"
#include "drivers/support/results.hpp"
#include "geometries/registry.hpp"

namespace strata {
namespace {

InitialSource read_initial(DeckSection const& input) {
  if (!input.has("initial_image")) return {};
  if (input.kind("initial_image") == DeckSection::Kind::number) return input.require<double>("initial_image");
  if (input.kind("initial_image") == DeckSection::Kind::text) {
    auto const name = input.require<std::string>("initial_image");
    if (name == "direct") return {};
    if (name == "prox_input") return ProxInputAsImage{};
  }
  if (input.kind("initial_image") != DeckSection::Kind::section)
    input.fail("initial_image", "expected {file:, dataset:}, a number, direct or prox_input");
  return require_dataset(input, "initial_image", "/recon");
}

void check_algorithm(DeckSection const& section, ReconSettings const& settings, Geometry const& geometry) {
  if ((settings.algorithm == "fbp" || settings.algorithm == "fdk") && settings.algorithm != geometry.direct_name())
    section.fail("algorithm", text("expected ", geometry.direct_name(), ", direct, vcd or prox for geometry ",
                                   geometry.type(), ", got ", settings.algorithm));
}

/// Entries of the largest subset that the job will run.
Index largest_subset(ReconJob const& job) {
  auto const masked = static_cast<Index>(std::count(job.mask.begin(), job.mask.end(), true));
  auto const& schedule = job.settings.schedule;
  if (job.settings.replay) return masked;
  int fewest = std::numeric_limits<int>::max();
  int const passes = std::min<int>(schedule.max_iterations, static_cast<int>(schedule.partition_sequence.size()));
  for (int i = schedule.first_iteration; i < passes; ++i)
    fewest = std::min(fewest, schedule.granularity[schedule.partition_sequence[i]]);
  if (fewest == std::numeric_limits<int>::max()) fewest = schedule.granularity[schedule.partition_sequence.back()];
  fewest = std::max(fewest, 1);
  if (schedule.cell_cols == 0) return (masked + fewest - 1) / fewest;
  return most_cell_entries(job.mask, fewest, schedule.cell_cols);
}

bool begins_direct(ReconJob const& job) {
  return job.settings.iterative() && std::holds_alternative<std::monostate>(job.initial);
}

/// Whether and why the run begins on coarse grids.
void choose_coarse_start(DeckSection const& section, ReconJob& job) {
  auto& settings = job.settings;
  bool const direct = begins_direct(job);
  if (settings.coarse_start == Choice::off || (settings.coarse_start == Choice::automatic && !direct)) return;
  if (!direct) section.fail("coarse_start", "expected auto or false: the run does not begin with a direct image");
  if (settings.coarse_start == Choice::on && coarse_factors(*job.geometry).empty())
    section.fail("coarse_start", text("expected auto or false: there are no coarser grids for this scan (geometry ",
                                      job.geometry->type(), ")"));
  job.coarse_start =
      settings.coarse_start == Choice::on ? "coarse_start: true" : reason_for_coarse_start(*job.geometry);
}

/// The subsets of accelerated runs. Those that begin with an image whose low frequencies are right need no passes over
/// few subsets.
void choose_subsets(DeckSection const& section, ReconJob& job) {
  auto& settings = job.settings;
  if (settings.vcd.acceleration == Acceleration::none || settings.replay) return;
  bool const complete = lack_of_direct_image(*job.geometry).empty();
  if (complete) settings.vcd.cells = job.geometry->pixel_correlations();
  if (settings.vcd.cells) settings.schedule.cell_cols = job.geometry->params().recon.num_cols;
  if (!settings.default_subsets) return;
  bool const near = !job.coarse_start.empty() || (begins_direct(job) && complete);
  auto const pixels = static_cast<Index>(std::count(job.mask.begin(), job.mask.end(), true));
  settings.schedule.granularity = accelerated_granularity(
      accelerated_subsets(pixels, settings.vcd.cells.has_value(), job.geometry->type() != "parallel"));
  settings.schedule.partition_sequence = accelerated_partition_sequence(!near);
  section.record("granularity", settings.schedule.granularity);
  section.record("partition_sequence", settings.schedule.partition_sequence);
}

}  // namespace

bool needs_prox_input(ReconJob const& job) {
  return job.settings.algorithm == "prox" || std::holds_alternative<ProxInputAsImage>(job.initial);
}

ReconJob read_recon_job(Deck const& deck) {
  ReconJob job;
  DeckSection const input = deck.section("input");
  job.sinogram = require_dataset(input, "sinogram", "/sinogram");
  SinogramShape const shape = read_sinogram_shape(deck, job.sinogram);
  job.weights = read_weights_source(input, shape);
  job.initial = read_initial(input);
  job.prox_input = find_dataset(input, "prox_input", "/recon");
  DeckSection const reconstruction = deck.section("reconstruction");
  job.settings = read_recon_settings(reconstruction, deck.section("geometry").get("type", ""));
  job.geometry = make_geometry(deck.section("geometry"), shape);
  job.mask = read_region_mask(deck.section("geometry"), job.geometry->params().recon);
  check_algorithm(reconstruction, job.settings, *job.geometry);
  choose_coarse_start(reconstruction, job);
  choose_subsets(reconstruction, job);
  require_shapes(job.weights, shape, job.geometry->params().recon);
  if (auto const* given = std::get_if<DatasetName>(&job.initial)) require_image(*given, job.geometry->params().recon);
  if (job.prox_input) require_volume_shape(*job.prox_input, job.geometry->params().recon);
  if (std::holds_alternative<ProxInputAsImage>(job.initial) && !job.prox_input)
    input.fail("initial_image", "expected input.prox_input to begin with, there is none");
  if (job.settings.algorithm == "prox" && !job.prox_input)
    input.fail("prox_input", "expected {file:, dataset:} for algorithm prox, got none");
  return job;
}

bool keeps_sinogram(ReconJob const& job, bool last) {
  return !last || job.weights.huber || job.settings.vcd.acceleration != Acceleration::none || !job.coarse_start.empty();
}

namespace {

/// Entries of the lists of all partitions that the job will run.
Index list_entries(ReconJob const& job) {
  auto const masked = static_cast<Index>(std::count(job.mask.begin(), job.mask.end(), true));
  auto const& schedule = job.settings.schedule;
  if (job.settings.replay || schedule.partition_sequence.empty()) return masked;
  std::set<int> partitions;
  for (int i = schedule.first_iteration; i < schedule.max_iterations; ++i) {
    int const last = static_cast<int>(schedule.partition_sequence.size()) - 1;
    partitions.insert(schedule.partition_sequence[std::min(i, last)]);
  }
  return masked * static_cast<Index>(partitions.size());
}

/// The stages of one iterative job.
void plan_iterative(MemoryPlan& plan, ReconJob const& job, bool last, bool checkpoints) {
  auto const& settings = job.settings;
  bool const proximal = settings.algorithm == "prox";
  VCDMemory const memory{largest_subset(job), list_entries(job), settings.slice_mean_damping, !proximal};
  CoarsePriorMemory const coarse_prior{proximal ? 1 : 0, !proximal};
  auto const begin_stage = [&](std::string const& name) {
    plan.begin_stage(name);
    plan.add_sinogram("sinogram");
    plan.add_volume("recon");
    plan.add_volume("Hessian diagonal");
    if (needs_prox_input(job)) plan.add_volume("prox input");
    if (keeps_sinogram(job, last)) plan.add_sinogram("error sinogram");
  };
  if (!job.coarse_start.empty()) {
    begin_stage("making an image on coarse grids");
    plan.add_pixel_lists("pixel lists of the subsets", memory.list_entries);
    plan_coarse_grids(plan, *job.geometry, job.mask, settings.vcd, coarse_prior);
  }
  begin_stage("making the initial image");
  plan.add_pixel_lists("pixel lists of the subsets", memory.list_entries);
  if (!job.coarse_start.empty()) plan_coarse_comparison(plan, *job.geometry, coarse_prior);
  if (!keeps_sinogram(job, last)) plan.add_sinogram("filtered or projected sinogram");
  if (std::holds_alternative<std::monostate>(job.initial))
    plan_direct(plan, *job.geometry, job.mask, settings.direct, false);
  begin_stage("iterating");
  if (job.weights.huber) plan.add_sinogram("errors of the rays", 2);
  if (checkpoints) plan.add_volume_staging();
  plan_vcd(plan, memory, settings.vcd);
  plan.end_stage();
}

}  // namespace

MemoryPlan plan_memory(std::vector<ReconJob const*> const& jobs, Devices const& devices, bool checkpoints) {
  ReconJob const& first = *jobs.front();
  MemoryPlan plan = plan_model(*first.geometry, first.mask, devices);
  bool const iterative =
      std::any_of(jobs.begin(), jobs.end(), [](auto const* job) { return job->settings.iterative(); });
  if (iterative && first.weights.given()) plan.add_sinogram("weights");
  if (iterative && first.weights.huber) plan.add_sinogram("weights that follow the errors");
  for (auto const* job : jobs) {
    bool const last = job == jobs.back();
    if (job->settings.iterative()) {
      plan_iterative(plan, *job, last, checkpoints);
      continue;
    }
    plan.begin_stage("reconstructing directly");
    plan.add_sinogram("sinogram");
    plan.add_volume("recon");
    if (!last) plan.add_sinogram("filtered sinogram");
    plan_direct(plan, *job->geometry, job->mask, job->settings.direct, !iterative);
    plan.end_stage();
  }
  plan.begin_stage("reading the sinogram");
  plan.add_sinogram("sinogram");
  plan.add_sinogram_staging();
  plan.begin_stage("writing the image");
  if (jobs.size() > 1) plan.add_sinogram("sinogram");
  if (iterative) plan.add_volume("Hessian diagonal");
  plan.add_volume("recon");
  plan.add_volume_staging();
  plan.end_stage();
  return plan;
}

}  // namespace strata
