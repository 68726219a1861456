#include "unit_tests/support/replay.hpp"

#include <algorithm>

#include "core/solver/vcd_start.hpp"
#include "drivers/support/recon_settings.hpp"
#include "prior/proximal.hpp"

namespace strata::test {
namespace {

std::string sinogram_of(Hdf5File const& file, std::string const& run) {
  if (file.has(run + "/sinogram")) return run + "/sinogram";
  return file.has("noisy_sinogram") ? "noisy_sinogram" : "sinogram";
}

std::string weights_of(Hdf5File const& file, std::string const& run) {
  for (auto const& name : {run + "/weights", std::string("weights")})
    if (file.has(name)) return name;
  return "";
}

ReconSettings settings_of(CtCase const& golden, std::string const& run) {
  auto const deck =
      Deck::parse(text("reconstruction: {reference_mode: true, compute_prior_loss: true, partitions: {file: '",
                       golden.file().path(), "', run: ", run, "}}"));
  return read_recon_settings(deck.section("reconstruction"), golden.geometry()->type());
}

/// Starts from the direct image scaled as the reference scaled it.
void start_like_reference(CtCase const& golden, TomographyModel const& model, std::string const& sinogram,
                          double scale_error, VCDState const& state) {
  start_vcd(model, InitialImage::direct, false, state);
  auto recon = to_host(model, state.recon);
  for (float& value : recon) value = static_cast<float>(value * (1 + scale_error));
  from_host(model, recon, state.recon);
  copy(golden.sinogram(model, sinogram), state.weighted_error);
  start_vcd(model, InitialImage::given, false, state);
}

}  // namespace

ReplayResult replay(CtCase const& golden, std::string const& run_name, ReplayOptions const& options) {
  Hdf5File const& file = golden.file();
  std::string const run = "/runs/" + run_name;
  auto settings = settings_of(golden, run);
  auto const model = golden.model(options.num_devices);
  auto const weights_name = weights_of(file, run);
  ShardedSinogram const weights =
      weights_name.empty() ? ShardedSinogram{model->sino_placement(), {}} : golden.sinogram(*model, weights_name);
  bool const given = file.has(run + "/init_recon");
  bool const zeros = file.string_attribute(run, "initialisation") == "zeros";
  VCDState const state{given ? golden.volume(*model, run + "/init_recon") : model->make_volume("test::recon"),
                       model->make_volume("test::hessian"), golden.sinogram(*model, sinogram_of(file, run)),
                       weights_name.empty() ? nullptr : &weights};
  if (options.padding != 0) {
    poison(*model, state.recon, options.padding);
    poison(*model, state.hessian, options.padding);
    poison(*model, state.weighted_error, options.padding);
    if (state.weights) poison(*model, weights, options.padding);
  }

  settings.vcd.slice_mean_damping = model->geometry().slice_mean_damping();
  settings.vcd.sigma_y = *settings.sigma_y;
  settings.prior.sigma_x = *settings.sigma_x;
  auto const prior = file.has(run + "/prox_input")
                         ? make_proximal_prior(golden.volume(*model, run + "/prox_input"), *settings.sigma_prox)
                         : make_qggmrf_prior(settings.prior);
  auto const schedule = read_replay(settings, static_cast<int>(model->recon_shape().num_pixels()));
  std::vector<SubsetPlan> plans;
  for (auto const& partition : schedule.partitions) plans.push_back(make_subset_plan(*model, partition));
  bool const direct = !given && !zeros;
  if (direct && options.start_scale_error != 0)
    start_like_reference(golden, *model, sinogram_of(file, run), options.start_scale_error, state);
  else
    start_vcd(*model, direct ? InitialImage::direct : InitialImage::given, false, state);
  VCDSolver solver(*model, *prior, settings.vcd, state, std::move(plans));

  ReplayResult result;
  int const passes = std::min<int>(static_cast<int>(schedule.passes.size()), options.max_passes);
  for (int i = 0; i < passes; ++i) {
    result.stats.push_back(solver.iterate(i, schedule.passes[i].partition, schedule.passes[i].order));
    if (i + 1 == passes || file.has(text(run, "/recon_", i + 1))) result.recon[i + 1] = to_host(*model, state.recon);
  }
  return result;
}

}  // namespace strata::test
