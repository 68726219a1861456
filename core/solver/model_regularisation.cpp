#include "core/solver/model_regularisation.hpp"

#include "core/placement/exchange_host.hpp"

namespace strata {
namespace {

/// `views` of a sinogram on the host, [view][row][channel].
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

Regularisation model_regularisation(TomographyModel const& model, ShardedSinogram const& sinogram,
                                    ShardedSinogram const* weights, double snr_db, double sharpness) {
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
  input.snr_db = snr_db;
  input.sharpness = sharpness;
  input.translation = model.geometry().type() == "translation";
  return automatic_regularisation(input);
}

}  // namespace strata
