#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "drivers/support/recon_run.hpp"
#include "drivers/support/results.hpp"
#include "geometries/registry.hpp"

namespace strata {
namespace {

InitialSource read_initial(DeckSection const& input) {
  if (!input.has("initial_image")) return {};
  if (input.kind("initial_image") == DeckSection::Kind::number) return input.require<double>("initial_image");
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
  return (masked + fewest - 1) / std::max(fewest, 1);
}

}  // namespace

ReconJob read_recon_job(Deck const& deck) {
  ReconJob job;
  DeckSection const input = deck.section("input");
  job.sinogram = require_dataset(input, "sinogram", "/sinogram");
  SinogramShape const shape = read_sinogram_shape(deck, job.sinogram);
  job.weights = read_weights_source(input);
  job.initial = read_initial(input);
  job.prox_input = find_dataset(input, "prox_input", "/recon");
  DeckSection const reconstruction = deck.section("reconstruction");
  job.settings = read_recon_settings(reconstruction, deck.section("geometry").get("type", ""));
  job.geometry = make_geometry(deck.section("geometry"), shape);
  job.mask = read_region_mask(deck.section("geometry"), job.geometry->params().recon);
  check_algorithm(reconstruction, job.settings, *job.geometry);
  if (auto const* given = std::get_if<DatasetName>(&job.weights)) require_sinogram_shape(*given, shape);
  if (auto const* given = std::get_if<DatasetName>(&job.initial))
    require_volume_shape(*given, job.geometry->params().recon);
  if (job.prox_input) require_volume_shape(*job.prox_input, job.geometry->params().recon);
  if (job.settings.algorithm == "prox" && !job.prox_input)
    input.fail("prox_input", "expected {file:, dataset:} for algorithm prox, got none");
  return job;
}

MemoryPlan plan_memory(ReconJob const& job, Devices const& devices) {
  MemoryPlan plan = plan_model(*job.geometry, devices);
  NodeReduction const nodes(plan.views());
  bool const several = devices->size() > 1;
  plan.add_sinogram("sinogram and error sinogram");
  plan.add_volume("recon");
  if (job.settings.iterative()) {
    Index const subset = largest_subset(job);
    if (!std::holds_alternative<std::monostate>(job.weights)) plan.add_sinogram("weights");
    plan.add_sinogram("filtered or projected sinogram");
    plan.add_volume("Hessian diagonal");
    if (job.prox_input) plan.add_volume("prox input");
    plan.add_subset("subset gradient, curvature and direction", subset, 3, false);
    plan.add_subset("subset back projection", subset, several ? nodes.num_nodes(0) : 1, true);
    if (several) {
      plan.add_subset("subset sums of other devices", subset, nodes.num_nodes(), false);
      plan.add_subset("gathered direction", subset, 1, true);
    }
  }
  return plan;
}

}  // namespace strata
