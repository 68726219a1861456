/// Runs a prior on a volume that is cut into shards, as a solver with several devices would.
#pragma once

#include <functional>
#include <vector>

#include "core/model/prior.hpp"

namespace strata::testing_prior {

/// [row][col][slice]
struct Volume {
  ReconShape shape;
  std::vector<float> values;
};

Volume random_volume(ReconShape const& shape, unsigned seed, float spread);

inline std::vector<double> widen(std::vector<float> const& values) {
  return {values.begin(), values.end()};
}

/// The whole volume as one shard; NaN in its padding.
VolumeShard whole_volume(Volume const& volume);

/// Every pixel, in an order that is not the plane's.
std::vector<int> all_pixels(ReconShape const& shape);

/// What stands in the lanes beyond the last slice.
struct Padding {
  float value = 0;
};

/// Slices before the first and after the last of the volume, [row][col]; empty: reflection.
struct OuterSlices {
  std::vector<float> below;
  std::vector<float> above;
};

struct Result {
  std::vector<float> gradient;   ///< [entry][slice]
  std::vector<float> curvature;  ///< [entry][slice]
  bool padding_is_inert = true;  ///< gradient 0, curvature positive and finite in all padded lanes
};

using GradientFunction = std::function<void(VolumeShard const&, PixelList const&, Cylinders const&, Cylinders const&)>;

/// gradient_and_curvature of `prior` over `num_shards` shards with halos between them.
Result gradient(Prior const& prior, Volume const& volume, std::vector<int> const& pixels, int num_shards,
                Padding padding = {}, OuterSlices const& outer = {});
/// The same with any function in the place of the prior's.
Result gradient(GradientFunction const& function, Volume const& volume, std::vector<int> const& pixels, int num_shards,
                Padding padding = {}, OuterSlices const& outer = {});

struct CoupledResult {
  Result plain;
  std::vector<float> next_row;  ///< [entry][slice]
  std::vector<float> next_col;  ///< [entry][slice]
  bool padding_is_zero = true;  ///< of the couplings
};

using CouplingFunction = std::function<void(VolumeShard const&, PixelList const&, Cylinders const&, Cylinders const&,
                                            PlaneCouplings const&)>;

/// gradient_curvature_and_couplings() as gradient() above.
CoupledResult couplings(Prior const& prior, Volume const& volume, std::vector<int> const& pixels, int num_shards,
                        Padding padding = {});
CoupledResult couplings(CouplingFunction const& function, Volume const& volume, std::vector<int> const& pixels,
                        int num_shards, Padding padding = {});

using LossFunction = std::function<void(VolumeShard const&, Array1<double> const&)>;

/// loss_per_slice over all shards: [slice].
std::vector<double> loss_per_slice(Prior const& prior, Volume const& volume, int num_shards, Padding padding = {});
std::vector<double> loss_per_slice(LossFunction const& function, Volume const& volume, int num_shards,
                                   Padding padding = {});

}  // namespace strata::testing_prior
