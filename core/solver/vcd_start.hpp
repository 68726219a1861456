/// What happens before the first iteration: initial image, error sinogram, Hessian diagonal.
#pragma once

#include "core/model/tomography_model.hpp"
#include "core/solver/redundancy_weights.hpp"
#include "core/solver/vcd_solver.hpp"

namespace strata {

/// How the run starts.
enum class InitialImage {
  direct,  ///< direct reconstruction, scaled to fit the data best
  given    ///< state.recon as it is
};

/// In: state.weighted_error holds the sinogram y, state.weights the weights, state.recon the image when it is given.
/// Out: recon (positive where `positivity`), weighted_error = w (y - A x), hessian.
/// Needs one more sinogram while it runs. Source: solver.md 2.2, 2.3.
/// `direct`: the weights of the direct reconstruction.
/// Returns the factor that scaled the direct reconstruction, else 1.
double start_vcd(TomographyModel const& model, InitialImage initial, bool positivity, VCDState const& state,
                 RedundancyOptions const& direct = {});

}  // namespace strata
