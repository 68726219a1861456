#include "core/solver/direct_recon.hpp"

#include "core/solver/ramp_filter.hpp"

namespace strata {

void direct_filter(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const& filtered) {
  RampFilter const filter(model.sinogram_shape(), model.sinogram_layout(), model.geometry().direct_filter());
  filter.apply(sinogram, filtered);
}

void direct_recon(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const& scratch,
                  ShardedVolume const& recon) {
  direct_filter(model, sinogram, scratch);
  model.back_project(scratch, recon);
}

}  // namespace strata
