/// The scales of the data and the prior: given or automatic.
#pragma once

#include "core/io/deck.hpp"
#include "core/model/tomography_model.hpp"
#include "drivers/support/recon_settings.hpp"

namespace strata {

/// Fills settings.sigma_y, sigma_x and sigma_prox where they are not given, from a sample of the views; logs them and
/// records them in section `reconstruction`. `sinogram` holds line integrals.
void regularise(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const* weights,
                DeckSection const& reconstruction, ReconSettings& settings);

}  // namespace strata
