#include "geometries/deck_geometry.hpp"

#include "core/base/error.hpp"

namespace strata {
namespace {

double positive(DeckSection const& section, char const* key, double fallback) {
  double const value = section.get(key, fallback);
  if (!(value > 0)) section.fail(key, text("expected a number > 0, got ", value));
  return value;
}

}  // namespace

GeometryParams read_common_geometry(DeckSection const& geometry, SinogramShape const& shape) {
  GeometryParams params;
  params.sinogram = shape;
  params.delta_det_channel = positive(geometry, "delta_det_channel", 1);
  params.delta_det_row = positive(geometry, "delta_det_row", 1);
  params.det_channel_offset = geometry.get("det_channel_offset", 0.0);
  params.det_row_offset = geometry.get("det_row_offset", 0.0);
  params.voxel_row_aspect = positive(geometry, "voxel_row_aspect", 1);
  params.voxel_slice_aspect = positive(geometry, "voxel_slice_aspect", 1);
  params.delta_voxel = 0;
  if (geometry.has("delta_voxel")) params.delta_voxel = positive(geometry, "delta_voxel", 1);
  if (auto const given = geometry.find<std::vector<int>>("recon_shape")) {
    if (given->size() != 3)
      geometry.fail("recon_shape", text("expected [rows, cols, slices], got ", given->size(), " numbers"));
    for (int const size : *given)
      if (size < 1) geometry.fail("recon_shape", text("expected sizes of at least 1, got ", size));
    params.recon = {(*given)[0], (*given)[1], (*given)[2]};
  }
  return params;
}

void record_grid(DeckSection const& geometry, GeometryParams const& params) {
  geometry.record("delta_voxel", params.delta_voxel);
  geometry.record("recon_shape",
                  std::vector<int>{params.recon.num_rows, params.recon.num_cols, params.recon.num_slices});
}

}  // namespace strata
