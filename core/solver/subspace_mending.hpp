/// Negative voxels after a subspace step become 0, and the error follows.
#pragma once

#include <vector>

#include "core/placement/band_buffer.hpp"
#include "core/solver/subspace_step.hpp"

namespace strata {

struct SubspaceStep::Mending {
  explicit Mending(TomographyModel const& model);

  /// True when a cylinder holds negative voxels.
  bool find_negative(ShardedVolume const& recon);
  /// Mends what find_negative() found: recon and `direction` grow by what was missing, the error falls by its
  /// projection. Returns the number of cylinders.
  int mend(SubspaceArrays const& arrays, ShardedVolume const& direction);

 private:
  struct PerDevice {
    Array2<int> flags;  ///< [block][pixel]
    Array1<int> index;  ///< of the cylinders that are mended together
    Array1<Real> row, col;
    BandBuffer missing;   ///< own blocks
    BandBuffer gathered;  ///< all blocks; several devices only
  };

  void mend_part(SubspaceArrays const& arrays, ShardedVolume const& direction, int begin, int count);

  TomographyModel const& model_;
  int part_length_;
  std::vector<PerDevice> devices_;
  std::vector<Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace>> host_flags_;  ///< [device] copies of flags
  std::vector<PixelList> lists_;
  std::vector<Cylinders> missing_, gathered_;
  Kokkos::View<int*, Kokkos::HostSpace> found_;  ///< in the order of the masked pixels
  int num_found_ = 0;
};

}  // namespace strata
