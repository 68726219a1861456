#include "drivers/support/regularise.hpp"

#include "core/base/log.hpp"
#include "core/solver/model_regularisation.hpp"

namespace strata {

void regularise(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const* weights,
                DeckSection const& reconstruction, ReconSettings& settings) {
  bool const prox = settings.algorithm == "prox";
  if (!settings.sigma_y || (prox ? !settings.sigma_prox : !settings.sigma_x)) {
    Regularisation const found = model_regularisation(model, sinogram, weights, settings.snr_db, settings.sharpness);
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
