/// Plug and play: the proximal map of the data and a denoiser take turns until they agree.
///
/// At the consensus equilibrium  x = F(v - u), v = D(x + u), x = v  with
///   F(z) = argmin 1/(2 sigma_y^2) |y - A x|_w^2 + 1/(2 s^2) |x - z|^2     VCD with a proximal prior
///   D(z)                                                                   any denoiser
/// the image satisfies both. Here D is itself a proximal map, that of the QGGMRF prior, so that x must be the minimum
/// that VCD with this prior finds; another denoiser takes the place of one line. Source: Buzzard, Chan, Sreehari,
/// Bouman, "Plug-and-play unplugged: optimization-free reconstruction using consensus equilibrium", SIAM J. Imaging
/// Sci. 11 (2018).
#include <cstdio>
#include <numbers>

#include "core/placement/exchange_host.hpp"
#include "core/placement/instances.hpp"
#include "core/solver/denoiser.hpp"
#include "core/solver/model_regularisation.hpp"
#include "core/solver/region_mask.hpp"
#include "core/solver/vcd_reconstruction.hpp"
#include "core/solver/volume_ops.hpp"
#include "drivers/support/phantom.hpp"
#include "geometries/parallel_scan.hpp"
#include "prior/proximal.hpp"
#include "prior/qggmrf.hpp"

namespace strata {
namespace {

constexpr ReconShape recon_shape{48, 48, 8};
constexpr int views = 32;

std::shared_ptr<Geometry const> make_scan() {
  GeometryParams params;
  params.sinogram = {views, recon_shape.num_slices, 64};
  params.recon = recon_shape;
  std::vector<double> angles(views);
  for (int v = 0; v < views; ++v) angles[v] = std::numbers::pi * v / views;
  return make_parallel_scan(params, angles);
}

/// A noisy scan of the Shepp-Logan phantom.
ShardedSinogram measure(TomographyModel const& model) {
  std::vector<float> object(static_cast<std::size_t>(recon_shape.size()));
  Phantom(PhantomKind::shepp_logan, recon_shape).fill({0, recon_shape.num_slices}, object);
  auto const scale = static_cast<float>(shepp_logan_scale(recon_shape, 3));
  for (auto& value : object) value *= scale;
  auto const volume = model.make_volume("phantom");
  HostExchange(model.device_set(), recon_shape.size())
      .put_pixels(volume, {0, static_cast<int>(recon_shape.num_pixels())}, object);
  auto const sinogram = model.make_sinogram("sinogram");
  model.forward_project(volume, sinogram);
  std::vector<float> lines(static_cast<std::size_t>(model.sinogram_shape().size()));
  HostExchange const exchange(model.device_set(), model.sinogram_shape().size());
  exchange.get_views(sinogram, model.sinogram_layout(), {0, views}, lines);
  CountingNoise(1e4, 1).apply(lines, {});
  exchange.put_views(sinogram, model.sinogram_layout(), {0, views}, lines);
  return sinogram;
}

/// The images of the loop; all stay on the devices.
struct Loop {
  VCDReconstruction& data_fit;
  Denoiser& denoiser;
  ShardedVolume prox_input;      ///< z of F
  ShardedVolume denoiser_input;  ///< z of D
  ShardedVolume denoised;        ///< v
  ShardedVolume difference;      ///< u: what F and D have disagreed by so far
  ShardedVolume gap;
};

/// Takes turns until the mean |x - v| is below `tolerance` times the mean |x|. Returns that ratio.
double find_consensus(Loop const& loop, AbsoluteSum const& norm, int max_turns, double tolerance) {
  double residual = 1;
  for (int turn = 0; turn < max_turns && residual > tolerance; ++turn) {
    combine(1, loop.denoised, -1, loop.difference, loop.prox_input);
    loop.data_fit.iterate({turn, 1});  // on from the last image and its error sinogram
    ShardedVolume const& x = loop.data_fit.image();
    combine(1, x, 1, loop.difference, loop.denoiser_input);
    for (int pass = 0; pass < 2; ++pass) loop.denoiser.iterate(pass);
    combine(1, x, -1, loop.denoised, loop.gap);
    combine(1, loop.difference, 1, loop.gap, loop.difference);
    residual = norm(loop.gap) / norm(x);
    if (turn % 10 == 9) std::printf("turn %d: consensus residual %.2e\n", turn + 1, residual);
  }
  return residual;
}

int run() {
  auto const region = ellipse_mask(recon_shape.num_rows, recon_shape.num_cols);
  TomographyModel const model(DeviceSet::create({}), make_scan(), {region.inside.begin(), region.inside.end()});
  PreparedScan scan(model, measure(model));
  Regularisation const scales = model_regularisation(model, scan.sinogram(), scan.weights());
  auto const qggmrf = make_qggmrf_prior({.sigma_x = scales.sigma_x, .nbr_wts = {}});
  VCDOptions options;
  options.sigma_y = scales.sigma_y;
  options.stop_threshold_change_pct = 0;
  auto const pixels = region.pixel_indices();
  ScheduleParams const passes{.granularity = {16}, .partition_sequence = {0}, .max_iterations = 60};
  AbsoluteSum const norm(model.recon_placement(), recon_shape.num_pixels());

  // What both must agree on: the minimum with the same prior.
  VCDReconstruction direct_way(scan, *qggmrf, options, make_schedule(passes, pixels));
  direct_way.start_direct();
  direct_way.iterate();

  // The loop. F and D keep their images, subsets and workspaces from turn to turn.
  double const s = 2 * scales.sigma_prox;  // sets how fast the two agree, not on what
  auto const prox_input = model.make_volume("prox_input");
  auto const denoiser_input = model.make_volume("denoiser_input");
  auto const denoised = model.make_volume("denoised");
  auto const proximal = make_proximal_prior(prox_input, s);
  VCDReconstruction data_fit(scan, *proximal, options, make_schedule(passes, pixels));
  data_fit.start_direct();
  copy(data_fit.image(), denoised);
  Denoiser denoiser(*qggmrf, {.sigma_noise = s}, recon_shape, denoiser_input, denoised,
                    denoiser_partition(pixels, recon_shape, false, 0));
  Loop const loop{data_fit,
                  denoiser,
                  prox_input,
                  denoiser_input,
                  denoised,
                  model.make_volume("difference"),
                  model.make_volume("gap")};
  constexpr double tolerance = 1e-3;
  constexpr int max_turns = 100;
  double const residual = find_consensus(loop, norm, max_turns, tolerance);
  combine(1, data_fit.image(), -1, direct_way.image(), loop.gap);
  double const distance = norm(loop.gap) / norm(direct_way.image());
  std::printf("consensus residual %.2e (at most %.0e wanted), distance to the minimum with the same prior %.2e\n",
              residual, tolerance, distance);
  return residual <= tolerance && distance <= 0.01 ? 0 : 1;
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  if (auto const missing = strata::missing_device(); !missing.empty()) {
    std::fprintf(stderr, "%s\n", missing.c_str());
    return 1;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return strata::run();
}
