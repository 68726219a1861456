#include "unit_tests/gpu/gpu_scan.hpp"

#include <algorithm>
#include <numbers>
#include <random>

#include "core/solver/direct_recon.hpp"
#include "core/solver/region_mask.hpp"
#include "core/solver/vcd_schedule.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"
#include "geometries/cone_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "prior/qggmrf.hpp"
#include "unit_tests/support/ct_case.hpp"

namespace strata::test {
namespace {

void append(std::vector<float>& all, std::vector<float> const& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Two passes of 5 and 1 subsets from the direct reconstruction: image and error.
std::vector<float> vcd(TomographyModel const& model, std::vector<float> const& measured) {
  auto const weights = model.make_sinogram("test::weights");
  VCDState const state{model.make_volume("test::recon"), model.make_volume("test::hessian"),
                       model.make_sinogram("test::error"), &weights};
  from_host(model, measured, state.weighted_error);
  from_host(model, measured, weights);
  QGGMRFParams params;
  params.sigma_x = 0.1;
  auto const prior = make_qggmrf_prior(params);
  auto pixels = model.masked_pixels().host;
  std::ranges::sort(pixels);
  auto const schedule = make_schedule({{1, 5}, {1, 0}, 2, 0, 0, PartitionMode::balanced}, pixels);
  std::vector<SubsetPlan> plans;
  for (auto const& partition : schedule.partitions) plans.push_back(make_subset_plan(model, partition));
  start_vcd(model, InitialImage::given, false, state);
  VCDSolver solver(model, *prior, {.sigma_y = 0.1}, state, std::move(plans));
  for (int pass = 0; pass < 2; ++pass)
    solver.iterate(pass, schedule.passes[pass].partition, schedule.passes[pass].order);
  auto values = to_host(model, state.recon);
  append(values, to_host(model, state.weighted_error));
  return values;
}

}  // namespace

std::shared_ptr<Geometry const> gpu_scan(Beam beam) {
  GeometryParams params;
  if (beam == Beam::parallel) {
    params.sinogram = {96, 130, 100};
    params.recon = {96, 100, 130};
    std::vector<double> angles;
    for (int v = 0; v < 96; ++v) angles.push_back(std::numbers::pi * v / 96);
    return make_parallel_scan(params, angles);
  }
  ConeScanParams cone;
  params.sinogram = {48, 1100, 60};
  params.recon = {56, 60, 1000};
  params.delta_voxel = 0.5;
  cone.common = params;
  for (int v = 0; v < 48; ++v) cone.angles.push_back(2 * std::numbers::pi * v / 48);
  cone.source_detector_dist = 4000;
  cone.source_iso_dist = 2000;
  return make_cone_scan(cone);
}

std::unique_ptr<TomographyModel> gpu_model(Beam beam, int num_devices) {
  auto const geometry = gpu_scan(beam);
  auto const& shape = geometry->params().recon;
  auto const region = ellipse_mask(shape.num_rows, shape.num_cols);
  return std::make_unique<TomographyModel>(DeviceSet::virtual_devices(num_devices), geometry,
                                           std::vector<bool>(region.inside.begin(), region.inside.end()));
}

std::vector<float> gpu_sinogram(SinogramShape const& shape) {
  std::mt19937 random(1);
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  for (auto& value : values) value = static_cast<float>(random() >> 8) * 0x1p-24F;
  return values;
}

std::vector<float> run_everything(TomographyModel const& model) {
  auto const measured = gpu_sinogram(model.sinogram_shape());
  auto const sinogram = model.make_sinogram("test::sinogram"), scratch = model.make_sinogram("test::scratch");
  auto const recon = model.make_volume("test::recon");
  std::vector<float> values;
  from_host(model, measured, sinogram);
  model.hessian_diagonal(sinogram, recon);
  append(values, to_host(model, recon));
  model.back_project(sinogram, recon);
  append(values, to_host(model, recon));
  model.forward_project(recon, scratch);
  append(values, to_host(model, scratch));
  direct_recon(model, sinogram, scratch, recon);
  append(values, to_host(model, recon));
  append(values, vcd(model, measured));
  return values;
}

}  // namespace strata::test
