#include "unit_tests/solver/accelerated_case.hpp"

#include "core/base/text.hpp"

namespace strata::test {

double objective_of(TomographyModel const& model, Prior const& prior, double sigma_y, ShardedVolume const& recon,
                    ShardedSinogram const& weighted_error, ShardedSinogram const* weights) {
  SinogramSums const sums(model.sino_placement(), model.sinogram_layout().rows);
  double value = sum_of_weighted_squares(sums, model.sinogram_layout(), weighted_error, weights);
  value /= 2 * sigma_y * sigma_y;
  SliceBlocks const& blocks = model.recon_placement().blocks();
  Array1<double> const loss("test::loss", blocks.shard_size);
  prior.loss_per_slice(ExecSpace(), {model.recon_shape(), blocks, 0, recon[0], {}, {}}, loss);
  Kokkos::fence("test: read the loss");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loss);
  for (int k = 0; k < model.recon_shape().num_slices; ++k) value += host(k);
  return value;
}

AcceleratedResult run(AcceleratedRun const& setting) {
  CtCase const golden(setting.scan);
  auto const model = golden.model(setting.num_devices);
  auto const weights = golden.sinogram(*model, "/runs/noisy/weights");
  auto const y = golden.sinogram(*model, "/runs/noisy/sinogram");
  VCDState state{model->make_volume("test::recon"), model->make_volume("test::hessian"),
                 golden.sinogram(*model, "/runs/noisy/sinogram"), &weights};
  if (setting.keep_sinogram) state.sinogram = y;
  if (setting.padding != 0) {
    poison(*model, state.recon, setting.padding);
    poison(*model, state.hessian, setting.padding);
    poison(*model, state.weighted_error, setting.padding);
    poison(*model, weights, setting.padding);
  }
  VCDOptions options = setting.options;
  options.sigma_y = golden.file().number_attribute("/runs/noisy", "sigma_y");
  options.compute_objective = true;
  QGGMRFParams params;
  params.sigma_x = golden.file().number_attribute("/runs/noisy", "sigma_x");
  auto const prior = make_qggmrf_prior(params);
  auto const schedule = make_schedule({setting.granularity, setting.sequence, setting.passes, 0, 0,
                                       PartitionMode::balanced, options.cells ? model->recon_shape().num_cols : 0},
                                      golden.masked_indices());
  std::vector<SubsetPlan> plans;
  for (auto const& partition : schedule.partitions) plans.push_back(make_subset_plan(*model, partition));
  start_vcd(*model, InitialImage::direct, options.positivity_flag, state);
  VCDSolver solver(*model, *prior, options, state, std::move(plans));

  AcceleratedResult result;
  for (int i = 0; i < setting.passes; ++i)
    result.history.push_back(solver.iterate(i, schedule.passes[i].partition, schedule.passes[i].order));
  result.recon = to_host(*model, state.recon);
  result.error = to_host(*model, state.weighted_error);
  auto const fresh = model->make_sinogram("test::fresh");
  model->forward_project(state.recon, fresh);
  weighted_residual(y, 1, fresh, &weights, fresh);
  result.fresh_error = to_host(*model, fresh);
  if (setting.num_devices == 1)
    result.last_objective = objective_of(*model, *prior, options.sigma_y, state.recon, fresh, &weights);
  return result;
}

}  // namespace strata::test
