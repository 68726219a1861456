/// Direct reconstruction: filter, then back project (FBP, FDK).
#pragma once

#include "core/model/tomography_model.hpp"

namespace strata {

/// filtered = the direct filter of `sinogram`; may be the same array.
void direct_filter(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const& filtered);

/// recon = direct reconstruction, 0 outside the mask. `scratch` is overwritten; it may be `sinogram` itself.
/// Source: geometry.md 6.
void direct_recon(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const& scratch,
                  ShardedVolume const& recon);

}  // namespace strata
