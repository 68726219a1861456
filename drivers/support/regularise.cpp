#include "drivers/support/regularise.hpp"

#include "core/base/log.hpp"
#include "core/placement/exchange_host.hpp"
#include "core/solver/regularisation.hpp"

namespace strata {
namespace {

/// The sampled views on the host, [view][row][channel].
std::vector<float> sample(TomographyModel const& model, ShardedSinogram const& sinogram,
                          std::vector<int> const& views) {
  Index const per_view = Index(model.sinogram_shape().num_det_rows) * model.sinogram_shape().num_det_channels;
  std::vector<float> values(views.size() * per_view);
  HostExchange const exchange(model.device_set(), per_view);
  for (std::size_t i = 0; i < views.size(); ++i)
    exchange.get_views(sinogram, model.sinogram_layout(), {views[i], views[i] + 1},
                       std::span(values).subspan(i * per_view, per_view));
  return values;
}

}  // namespace

void regularise(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const* weights,
                DeckSection const& reconstruction, ReconSettings& settings) {
  bool const prox = settings.algorithm == "prox";
  if (!settings.sigma_y || (prox ? !settings.sigma_prox : !settings.sigma_x)) {
    auto const views = regularisation_views(model.sinogram_shape().num_views);
    auto const values = sample(model, sinogram, views);
    auto const weight_values = weights ? sample(model, *weights, views) : std::vector<float>();
    auto const& params = model.geometry().params();
    RegularisationInput input;
    input.sinogram = values;
    input.weights = weight_values;
    input.shape = params.sinogram;
    input.shape.num_views = static_cast<int>(views.size());
    input.recon_shape = params.recon;
    input.delta_voxel = params.delta_voxel;
    input.delta_voxel_row = params.delta_voxel * params.voxel_row_aspect;
    input.delta_det_channel = params.delta_det_channel;
    input.magnification = params.magnification;
    input.snr_db = settings.snr_db;
    input.sharpness = settings.sharpness;
    input.translation = model.geometry().type() == "translation";
    Regularisation const found = automatic_regularisation(input);
    if (!settings.sigma_y) settings.sigma_y = found.sigma_y;
    if (!settings.sigma_x) settings.sigma_x = found.sigma_x;
    if (!settings.sigma_prox) settings.sigma_prox = found.sigma_prox;
    if (found.laterally_truncated)
      log::warn("the object reaches the edge of the detector in ", 100 * found.touching_fraction,
                " % of the sampled rows: expect a bright rim; a wider recon_shape helps");
  }
  if (!settings.sigma_x) settings.sigma_x = settings.sigma_prox;
  if (!settings.sigma_prox) settings.sigma_prox = settings.sigma_x;
  reconstruction.record("sigma_y", *settings.sigma_y);
  reconstruction.record(prox ? "sigma_prox" : "sigma_x", prox ? *settings.sigma_prox : *settings.sigma_x);
  settings.vcd.sigma_y = *settings.sigma_y;
  settings.prior.sigma_x = *settings.sigma_x;
  log::info("regularisation: sigma_y ", *settings.sigma_y, ", ", prox ? "sigma_prox " : "sigma_x ",
            prox ? *settings.sigma_prox : *settings.sigma_x, " (sharpness ", settings.sharpness, ", snr_db ",
            settings.snr_db, "; raise sharpness for crisper, lower it for smoother images)");
}

}  // namespace strata
