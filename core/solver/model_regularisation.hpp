/// Automatic noise and prior scales for a model's data.
#pragma once

#include "core/model/tomography_model.hpp"
#include "core/solver/regularisation.hpp"

namespace strata {

/// The scales for `sinogram` (line integrals) and `weights` (null: ones), from the views of regularisation_views(),
/// which are brought to the host. \throws InputError as automatic_regularisation() does.
Regularisation model_regularisation(TomographyModel const& model, ShardedSinogram const& sinogram,
                                    ShardedSinogram const* weights, double snr_db = 30, double sharpness = 1);

}  // namespace strata
