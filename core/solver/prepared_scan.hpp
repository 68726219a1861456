/// A scan on the devices, ready to be reconstructed as often as wanted.
#pragma once

#include <optional>

#include "core/model/tomography_model.hpp"

namespace strata {

/// Line integrals, weights and the Hessian diagonal, which depends on the weights alone. Several reconstructions share
/// them; nothing of it goes through the host. `model` must outlive the scan.
class PreparedScan {
 public:
  /// `weights` absent: ones. The shards are shared, not copied.
  PreparedScan(TomographyModel const& model, ShardedSinogram sinogram, std::optional<ShardedSinogram> weights = {});

  TomographyModel const& model() const { return model_; }
  /// y. \throws Error after take_sinogram().
  ShardedSinogram const& sinogram() const;
  /// w; null: ones.
  ShardedSinogram const* weights() const { return weights_ ? &*weights_ : nullptr; }
  /// (A o A)' w at all pixels; computed at the first call.
  ShardedVolume const& hessian_diagonal();

  /// To be called after the values of weights() were replaced. Makes the Hessian diagonal anew in its place, so that a
  /// VCDReconstruction of the scan is right again from its next start on.
  void weights_changed();
  /// Hands the sinogram over to the last that needs it, which may overwrite it.
  ShardedSinogram take_sinogram();

 private:
  TomographyModel const& model_;
  std::optional<ShardedSinogram> sinogram_;
  std::optional<ShardedSinogram> weights_;
  std::optional<ShardedVolume> hessian_;
};

}  // namespace strata
