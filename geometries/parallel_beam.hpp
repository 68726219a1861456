/// Parallel beams: detector row m is slice m. Source: docs/design geometry, sections 2 and 4.1.
#pragma once

#include <memory>
#include <vector>

#include "core/model/projector.hpp"
#include "geometries/kernel_choice.hpp"

namespace strata {

/// Lengths in ALU, angles in rad.
struct ParallelBeamParams {
  SinogramShape sinogram;
  ReconShape recon;
  std::vector<double> angles;  ///< [view]
  double delta_det_channel = 1;
  double delta_det_row = 1;  ///< for the automatic geometry; the projector does not need it
  double det_channel_offset = 0;
  double delta_voxel = 1;
  double voxel_row_aspect = 1;
};

/// \throws InputError for numbers that describe no scan: sizes below 1, pitches that are not positive and finite,
/// angles that are not finite or not one for each view, slices that are not the detector rows.
void validate(ParallelBeamParams const& params);

/// The projector of the device that owns `views`, which begin and end on boundaries of view groups. Rows of the
/// sinogram are stored as `blocks` tells for the slices. Allocates on `exec`. \throws InputError as validate().
std::unique_ptr<Projector> make_parallel_beam(ExecSpace const& exec, ParallelBeamParams const& params, Range views,
                                              SliceBlocks const& blocks, KernelChoice kernels = KernelChoice::best);
/// What that allocates.
Index parallel_beam_bytes(ExecSpace const& exec, SinogramShape const& sinogram, Range views, SliceBlocks const& blocks);

}  // namespace strata
