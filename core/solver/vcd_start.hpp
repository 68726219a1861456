/// What happens before the first iteration: initial image, error sinogram, Hessian diagonal.
#pragma once

#include "core/model/tomography_model.hpp"
#include "core/solver/redundancy_weights.hpp"
#include "core/solver/vcd_solver.hpp"

namespace strata {

/// How the run starts.
enum class InitialImage {
  direct,  ///< direct reconstruction, scaled to fit the data best
  given    ///< the image as it is
};

/// The arrays of a start. `weighted_error` may be `sinogram`, which is then lost, or `projected`.
struct StartArrays {
  ShardedSinogram sinogram;        ///< y
  ShardedSinogram const* weights;  ///< w; null: ones
  ShardedSinogram projected;       ///< overwritten
  ShardedVolume recon;             ///< x
  ShardedSinogram weighted_error;  ///< becomes w (y - A x)
  bool fill_missing = false;       ///< rays of weight 0 are filled in for the direct reconstruction
};

/// Sets recon (direct, or as given; positive where `positivity`) and weighted_error. `direct`: the weights of the
/// direct reconstruction. Allocates nothing when the image is given. Source: solver.md 2.2, 2.3. Returns the factor
/// that scaled the direct reconstruction, else 1.
double start_from(TomographyModel const& model, InitialImage initial, bool positivity, StartArrays const& arrays,
                  RedundancyOptions const& direct = {});

/// hessian = (A o A)' w at all pixels; null weights: ones, which need one more sinogram meanwhile.
/// \throws InputError when it is not finite.
void compute_hessian(TomographyModel const& model, ShardedSinogram const* weights, ShardedVolume const& hessian);

/// Both for a single run: in, state.weighted_error holds y; out, w (y - A x). Needs one more sinogram while it runs.
double start_vcd(TomographyModel const& model, InitialImage initial, bool positivity, VCDState const& state,
                 RedundancyOptions const& direct = {});

}  // namespace strata
