/// Small steps that several scans share.
#pragma once

#include "core/base/error.hpp"
#include "core/io/deck.hpp"
#include "core/model/geometry.hpp"

namespace strata {

/// \throws InputError unless there is one of `what` for each view.
inline void require_views(std::size_t found, SinogramShape const& shape, char const* what) {
  require(static_cast<int>(found) == shape.num_views, "expected ", shape.num_views, " ", what, ", one a view, got ",
          found);
}

/// Copies what all projectors' parameters have in common.
template <class Beam>
void fill_beam(GeometryParams const& params, Beam& beam) {
  beam.sinogram = params.sinogram;
  beam.recon = params.recon;
  beam.delta_det_channel = params.delta_det_channel;
  beam.delta_det_row = params.delta_det_row;
  beam.det_channel_offset = params.det_channel_offset;
  beam.det_row_offset = params.det_row_offset;
  beam.delta_voxel = params.delta_voxel;
  beam.voxel_row_aspect = params.voxel_row_aspect;
  beam.voxel_slice_aspect = params.voxel_slice_aspect;
}

/// Copies what all automatic grids have in common.
template <class Input>
void fill_grid_input(GeometryParams const& params, Input& input) {
  input.sinogram = params.sinogram;
  input.delta_det_channel = params.delta_det_channel;
  input.delta_det_row = params.delta_det_row;
  input.delta_voxel = params.delta_voxel;
  input.voxel_slice_aspect = params.voxel_slice_aspect;
}

/// Completes `params` by the automatic grid. \throws InputError for a grid without voxels.
inline void fill_grid(DeckSection const& geometry, ReconShape const& recon, double delta_voxel,
                      GeometryParams& params) {
  params.delta_voxel = delta_voxel;
  if (params.recon.num_rows == 0) params.recon = recon;
  if (params.recon.num_rows < 1 || params.recon.num_cols < 1 || params.recon.num_slices < 1)
    geometry.fail("recon_shape",
                  text("expected a shape, got none, and the automatic one is empty: [", params.recon.num_rows, ", ",
                       params.recon.num_cols, ", ", params.recon.num_slices, "]"));
}

/// recon_slice_offset of the deck, or `automatic`, which is then recorded.
inline double recorded_slice_offset(DeckSection const& geometry, double automatic) {
  if (auto const given = geometry.find<double>("recon_slice_offset")) return *given;
  geometry.record("recon_slice_offset", automatic);
  return automatic;
}

}  // namespace strata
