/// Geometries whose slices contribute to several detector rows: cone beams with flat or curved detectors, circular or
/// helical; cone beams on a translated object; parallel beams from any direction. Lengths in ALU, angles in rad.
/// Source: docs/design geometry, sections 4.2 to 4.4.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/model/geometry.hpp"
#include "core/model/projector.hpp"
#include "geometries/kernel_choice.hpp"

namespace strata {

/// What the three have in common.
struct SeparableScanParams {
  SinogramShape sinogram;
  ReconShape recon;
  double delta_det_channel = 1;
  double delta_det_row = 1;
  double det_channel_offset = 0;
  double det_row_offset = 0;
  double delta_voxel = 1;
  double voxel_row_aspect = 1;
  double voxel_slice_aspect = 1;
  double recon_slice_offset = 0;
  bool reference_mode = false;  ///< footprints cut off, and curved detectors magnified, as by the reference
};

struct ConeBeamParams : SeparableScanParams {
  std::vector<double> angles;       ///< [view]
  std::vector<double> z_shifts;     ///< [view], or empty: 0
  double source_detector_dist = 1;  ///< may be infinite: parallel rays
  double source_iso_dist = 1;
  bool curved = false;  ///< the detector is a cylinder about the source
};

struct TranslationParams : SeparableScanParams {
  std::vector<std::array<double, 3>> translation_vectors;  ///< [view] x, y, z
  double source_detector_dist = 1;                         ///< may be infinite
  double source_iso_dist = 1;
};

struct MultiAxisParams : SeparableScanParams {
  std::vector<double> azimuths;    ///< [view]
  std::vector<double> elevations;  ///< [view]
};

/// \throws InputError for numbers that describe no scan, and for volumes that reach the source: of a rotated volume the
/// ellipse inside its rows and columns counts, and voxels in its corners that come to lie behind the source are
/// dropped.
void validate(ConeBeamParams const& params);
void validate(TranslationParams const& params);
void validate(MultiAxisParams const& params);

/// The projector of the device that owns `views`, which begin and end on boundaries of view groups. The slices of the
/// volume are stored as `blocks` tells, detector rows as one block. Allocates on `exec`. \throws InputError as
/// validate().
std::unique_ptr<Projector> make_cone_beam(ExecSpace const& exec, ConeBeamParams const& params, Range views,
                                          SliceBlocks const& blocks, KernelChoice kernels = KernelChoice::best);
std::unique_ptr<Projector> make_translation(ExecSpace const& exec, TranslationParams const& params, Range views,
                                            SliceBlocks const& blocks, KernelChoice kernels = KernelChoice::best);
std::unique_ptr<Projector> make_multiaxis(ExecSpace const& exec, MultiAxisParams const& params, Range views,
                                          SliceBlocks const& blocks, KernelChoice kernels = KernelChoice::best);

/// What one of these allocates; `moving`: views see the slices from different heights.
Index separable_beam_bytes(ExecSpace const& exec, GeometryParams const& params, Range views, SliceBlocks const& blocks,
                           bool moving);

}  // namespace strata
