/// The arrays that VCD's subset updates need on each device.
#pragma once

#include <vector>

#include "core/solver/subset_kernels.hpp"
#include "core/solver/vcd_solver.hpp"

namespace strata {

struct VCDSolver::Workspace {
  struct PerDevice {
    BandBuffer partial;                         ///< nodes of A'(w e), all blocks
    BandBuffer staging;                         ///< all nodes of the own blocks; several devices only
    BandBuffer gradient, curvature, direction;  ///< own blocks
    BandBuffer gathered;    ///< direction, all blocks, in the memory of `staging`; several devices only
    SliceSums step_sums;    ///< descent, prior curvature
    SliceSums means;        ///< of slices, where they are damped
    Array1<Real> undamped;  ///< 1 - s at [block * lanes + lane], where slice means are damped
    SliceSums change_sums;  ///< |step|, step^2, summed over a pass
    SliceSums recon_sum;    ///< |recon|
    Array1<double> prior_loss;
    Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> host;  ///< copies of SliceSums::total()
    Kokkos::View<double*, Kokkos::HostSpace> host_loss;
  };
  std::vector<PerDevice> devices;
  std::vector<PendingStep> pending;  ///< [device]
  std::vector<Range> own_blocks;     ///< [device], global numbers

  Workspace(TomographyModel const& model, int max_subset, VCDOptions const& options);

  /// Sum over slices in order of `quantity` of what pick(device) selects. Waits for the devices.
  template <class Pick>
  std::vector<double> per_slice(TomographyModel const& model, int quantity, Pick const& pick) const;
};

template <class Pick>
std::vector<double> VCDSolver::Workspace::per_slice(TomographyModel const& model, int quantity,
                                                    Pick const& pick) const {
  auto const& blocks = model.recon_placement().blocks();
  std::vector<double> values(blocks.num_slices);
  for (int d = 0; d < static_cast<int>(devices.size()); ++d)
    for (int b = 0; b < blocks.per_shard; ++b) {
      Range const slices = blocks.slices(own_blocks[d].begin + b);
      for (int k = slices.begin; k < slices.end; ++k)
        values[k] = pick(devices[d])(quantity, b * blocks.lanes + k - slices.begin);
    }
  return values;
}

}  // namespace strata
