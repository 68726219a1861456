/// Direct reconstruction: filter, then back project (FBP, FDK).
#pragma once

#include "core/model/tomography_model.hpp"
#include "core/solver/redundancy_weights.hpp"

namespace strata {

/// filtered = the direct filter of `sinogram`, redundancy weights included; may be the same array. Which weights were
/// chosen is logged.
void direct_filter(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const& filtered,
                   RedundancyOptions const& options = {});

/// recon = direct reconstruction, 0 outside the mask. `scratch` is overwritten; it may be `sinogram` itself.
/// Needs a wider sinogram for itself where a detector is displaced. Voxels that some views do not see are normalised
/// (row_coverage.hpp); slices that too few views see are in the log. Source: geometry.md 6.
void direct_recon(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const& scratch,
                  ShardedVolume const& recon, RedundancyOptions const& options = {});

/// Multiplies slice k of `volume` by weights[k], one a slice.
void scale_slices(ShardedVolume const& volume, std::vector<float> const& weights);

}  // namespace strata
