#include "geometries/cone_scan.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "geometries/cone_grid.hpp"
#include "geometries/deck_angles.hpp"
#include "geometries/deck_geometry.hpp"
#include "geometries/deck_vectors.hpp"
#include "geometries/perspective_filter.hpp"
#include "geometries/scan_common.hpp"
#include "geometries/separable_beam.hpp"
#include "geometries/source_distance.hpp"

namespace strata {
namespace {

class ConeScan final : public Geometry {
 public:
  explicit ConeScan(ConeScanParams const& params) : Geometry(params.common), scan_(params) {
    require_views(scan_.angles.size(), params.common.sinogram, "angles");
    if (!scan_.helical_z_shifts.empty())
      require_views(scan_.helical_z_shifts.size(), params.common.sinogram, "helical z shifts");
    require(scan_.source_iso_dist > 0 && scan_.source_detector_dist >= scan_.source_iso_dist,
            "cone beam: expected 0 < source_iso_dist <= source_detector_dist, got ", scan_.source_iso_dist, " and ",
            scan_.source_detector_dist);
    // Rays from infinitely far are parallel, and a detector so far away is flat.
    if (std::isinf(scan_.source_detector_dist)) scan_.use_curved_detector = false;
  }

  std::string type() const override { return "cone"; }
  std::string direct_name() const override { return "fdk"; }
  SliceBlocks det_row_blocks(SliceBlocks const&) const override {
    return SliceBlocks::single(params().sinogram.num_det_rows);
  }

  std::unique_ptr<Projector> make_projector(ExecSpace const& exec, Range views,
                                            SliceBlocks const& slices) const override {
    ConeBeamParams beam;
    fill_beam(params(), beam);
    beam.angles = scan_.angles;
    beam.z_shifts = scan_.helical_z_shifts;
    beam.source_detector_dist = scan_.source_detector_dist;
    beam.source_iso_dist = scan_.source_iso_dist;
    beam.curved = scan_.use_curved_detector;
    beam.recon_slice_offset = params().recon_slice_offset;
    beam.reference_mode = scan_.reference_mode;
    return make_cone_beam(exec, beam, views, slices);
  }

  Index projector_bytes(ExecSpace const& exec, Range views, SliceBlocks const& slices) const override {
    return separable_beam_bytes(exec, params(), views, slices, !scan_.helical_z_shifts.empty());
  }

  DirectFilterParams direct_filter() const override {
    DirectFilterParams filter =
        perspective_filter({params(), scan_.source_detector_dist, scan_.use_curved_detector, scan_.reference_mode});
    if (scan_.reference_mode) filter.slice_weights = helical_slice_weights(scan_);
    return filter;
  }

  RayFan ray_fan() const override {
    if (scan_.reference_mode) return {};
    RayFan fan{scan_.angles, {}, channel_distances(params()), is_helical()};
    fan.fan_angles.assign(fan.positions.size(), 0.0);
    if (std::isinf(scan_.source_detector_dist)) return fan;
    for (double& u : fan.positions) {
      double const arc = u / scan_.source_detector_dist;
      u = scan_.use_curved_detector ? arc : std::atan(arc);
    }
    fan.fan_angles = fan.positions;
    return fan;
  }

  RowFan row_fan() const override {
    if (scan_.reference_mode) return {};
    RowFan fan;
    GeometryParams const& p = params();
    double const half = p.sinogram.num_det_rows / 2.0 * p.delta_det_row;
    fan.low = (-half - p.det_row_offset) / p.magnification;
    fan.high = (half - p.det_row_offset) / p.magnification;
    bool const parallel = std::isinf(scan_.source_detector_dist);
    fan.source_iso_dist = parallel ? scan_.source_detector_dist : scan_.source_iso_dist;
    fan.curved = scan_.use_curved_detector;
    fan.angles = scan_.angles;
    fan.z_shifts = scan_.helical_z_shifts;
    fan.z_shifts.resize(fan.angles.size(), 0.0);
    fan.middle_channel = p.det_channel_offset / p.delta_det_channel + (p.sinogram.num_det_channels - 1) / 2.0;
    fan.channel_pitch = p.delta_det_channel / p.magnification;
    return fan;
  }

  std::shared_ptr<Geometry const> widened(int before, int after) const override {
    ConeScanParams wide = scan_;
    wide.common = strata::widened(scan_.common, before, after);
    return make_cone_scan(wide);
  }

  std::shared_ptr<Geometry const> coarsened(int factor) const override {
    ConeScanParams coarse = scan_;
    coarse.common = strata::coarsened(params(), factor, true);
    return make_cone_scan(coarse);
  }

  std::vector<double> slice_mean_damping() const override { return cone_mean_damping(scan_); }

  std::vector<NamedParameter> extra_parameters() const override {
    std::vector<NamedParameter> parameters{{"angles", scan_.angles, ""}};
    if (!scan_.helical_z_shifts.empty()) parameters.push_back({"helical_z_shifts", scan_.helical_z_shifts, ""});
    return parameters;
  }

 private:
  bool is_helical() const {
    auto const& shifts = scan_.helical_z_shifts;
    return !shifts.empty() && *std::ranges::max_element(shifts) > *std::ranges::min_element(shifts);
  }

  ConeScanParams scan_;
};

ConeGridInput grid_input(DeckSection const& geometry, ConeScanParams const& scan) {
  GeometryParams const& common = scan.common;
  ConeGridInput input;
  fill_grid_input(common, input);
  input.det_channel_offset = common.det_channel_offset;
  input.det_row_offset = common.det_row_offset;
  input.source_detector_dist = scan.source_detector_dist;
  input.source_iso_dist = scan.source_iso_dist;
  input.use_curved_detector = scan.use_curved_detector;
  input.voxel_row_aspect = common.voxel_row_aspect;
  if (!scan.helical_z_shifts.empty()) {
    auto const [low, high] = std::ranges::minmax(scan.helical_z_shifts);
    input.z_shift_min = low;
    input.z_shift_max = high;
  }
  auto const pad = read_pad_fraction(geometry, "axial_pad_fraction");
  input.pad_top = pad[0];
  input.pad_bottom = pad[1];
  input.elliptic_mask = has_elliptic_mask(geometry, true);
  return input;
}

}  // namespace

std::shared_ptr<Geometry const> make_cone_scan(ConeScanParams params) {
  params.common.magnification = cone_magnification(params.source_detector_dist, params.source_iso_dist);
  return std::make_shared<ConeScan>(params);
}

std::shared_ptr<Geometry const> make_cone_scan(DeckSection const& geometry, SinogramShape const& shape) {
  ConeScanParams scan;
  scan.common = read_common_geometry(geometry, shape);
  scan.angles = read_angles(geometry, "angles", shape.num_views);
  scan.helical_z_shifts = read_view_lengths(geometry, "helical_z_shifts", shape.num_views);
  auto const distances = read_source_distances(geometry, /*infinity_allowed=*/true);
  scan.source_detector_dist = distances.source_detector_dist;
  scan.source_iso_dist = distances.source_iso_dist;
  scan.use_curved_detector = geometry.get("use_curved_detector", false);
  scan.reference_mode = geometry.get("reference_mode", false);
  ConeGrid const grid = automatic_cone_grid(grid_input(geometry, scan), scan.reference_mode);
  fill_grid(geometry, grid.recon, grid.delta_voxel, scan.common);
  scan.common.recon_slice_offset = recorded_slice_offset(geometry, grid.recon_slice_offset);
  record_grid(geometry, scan.common);
  if (!std::isinf(scan.source_detector_dist))
    require_clear_of_source(geometry, support_radius(scan.common, has_elliptic_mask(geometry, true)),
                            scan.source_iso_dist, scan.reference_mode);
  return make_cone_scan(scan);
}

}  // namespace strata
