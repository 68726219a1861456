/// What the rest of Strata knows of a scan's geometry.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/projector.hpp"
#include "core/model/shapes.hpp"

namespace strata {

/// Numbers that every geometry has. Lengths in ALU. Source: MBIRJAX parameter names.
struct GeometryParams {
  SinogramShape sinogram;
  ReconShape recon;
  double delta_det_channel = 1;
  double delta_det_row = 1;
  double det_channel_offset = 0;
  double det_row_offset = 0;
  double delta_voxel = 1;
  double voxel_row_aspect = 1;
  double voxel_slice_aspect = 1;
  double magnification = 1;       ///< of the rotation axis; 1 for parallel beams
  double recon_slice_offset = 0;  ///< of the volume's centre along the slice axis
};

/// Direct reconstruction: f = post_weight . (scale * pi / views * ramp * (det_weight . view_weight . y)), then back
/// projection, then slice weights. Empty lists stand for ones.
struct DirectFilterParams {
  double scale = 1;
  std::vector<float> det_weights = {};    ///< [row][channel]
  std::vector<float> slice_weights = {};  ///< [slice], applied after back projection
  std::vector<float> post_weights = {};   ///< [row][channel], applied after the ramp
  std::vector<float> view_weights = {};   ///< [view][channel]
  double fan_pitch = 0;  ///< rad between channels at equal angles (curved detector); 0: channels at equal distances
};

/// The rays of a scan in one plane, for the weights of rays that are measured more than once. The ray of view angle a
/// and channel n is the one of angle a + pi - 2 * fan_angles[n] and position -positions[n], the other way round.
struct RayFan {
  std::vector<double> angles = {};      ///< [view], rad; empty: the geometry has no such weights
  std::vector<double> fan_angles = {};  ///< [channel], rad; zeros for parallel rays
  std::vector<double> positions = {};   ///< [channel], signed: fan angles, or distances for parallel rays
  bool helical = false;
};

/// Which detector rows see a voxel, where not every view sees all slices. The view of angle a and shift h sees the
/// heights low * q + h to high * q + h of a pixel, q being its depth behind the source over that of the axis, or with
/// a curved detector its distance from the source over that of the axis. Lengths at the axis, ALU.
struct RowFan {
  double low = 0;  ///< edges of the detector
  double high = 0;
  double source_iso_dist = 1;         ///< may be infinite
  bool curved = false;                ///< channels lie at equal angles
  std::vector<double> angles = {};    ///< [view], rad; empty: the geometry has no such views
  std::vector<double> z_shifts = {};  ///< [view]
  double middle_channel = 0;          ///< of the ray through the axis
  double channel_pitch = 1;
};

/// A named number, list or text of the resolved model, for the output file.
struct NamedParameter {
  std::string name;
  std::vector<double> numbers;
  std::string text;
  int columns = 1;  ///< more than 1: numbers are [row][column]
};

/// `params` with more channels, see Geometry::widened().
inline GeometryParams widened(GeometryParams params, int before, int after) {
  params.sinogram.num_det_channels += before + after;
  params.det_channel_offset += (before - after) / 2.0 * params.delta_det_channel;
  return params;
}

/// `params` on a grid and a detector whose cells are `factor` times wider, `slices`: and higher. Cells at the upper
/// ends may reach beyond the fine ones; see Geometry::coarsened().
inline GeometryParams coarsened(GeometryParams params, int factor, bool slices) {
  auto const cells = [&](int size) { return (size + factor - 1) / factor; };
  int const channels = cells(params.sinogram.num_det_channels);
  params = widened(params, 0, channels * factor - params.sinogram.num_det_channels);
  params.sinogram.num_det_channels = channels;
  params.delta_det_channel *= factor;
  params.delta_voxel *= factor;
  params.recon.num_rows = cells(params.recon.num_rows);
  params.recon.num_cols = cells(params.recon.num_cols);
  if (!slices) return params;
  int const rows = cells(params.sinogram.num_det_rows);
  params.det_row_offset -= (rows * factor - params.sinogram.num_det_rows) / 2.0 * params.delta_det_row;
  params.sinogram.num_det_rows = rows;
  params.delta_det_row *= factor;
  params.recon.num_slices = cells(params.recon.num_slices);
  return params;
}

/// How alike the projections of neighbouring pixels of a slice are: a_i.a_j / (|a_i| |a_j|), all rays of equal weight.
struct PixelCorrelations {
  double next_row = 0;      ///< (row, col) and (row + 1, col)
  double next_col = 0;      ///< (row, col) and (row, col + 1)
  double diagonal = 0;      ///< (row, col) and (row + 1, col + 1)
  double antidiagonal = 0;  ///< (row, col + 1) and (row + 1, col)
};

class Geometry {
 public:
  explicit Geometry(GeometryParams params) : params_(std::move(params)) {}
  virtual ~Geometry() = default;

  GeometryParams const& params() const { return params_; }

  /// Name in decks: parallel, cone, ...
  virtual std::string type() const = 0;
  /// How detector rows are stored beside slices stored as `slices`.
  virtual SliceBlocks det_row_blocks(SliceBlocks const& slices) const = 0;
  /// The projector of one device that owns `views`.
  virtual std::unique_ptr<Projector> make_projector(ExecSpace const& exec, Range views,
                                                    SliceBlocks const& slices) const = 0;
  /// What that projector allocates on its device, bytes, to about a percent; 0: next to nothing.
  virtual Index projector_bytes(ExecSpace const& exec, Range views, SliceBlocks const& slices) const {
    (void)exec;
    (void)views;
    (void)slices;
    return 0;
  }
  virtual DirectFilterParams direct_filter() const = 0;
  /// What redundancy weights of direct reconstruction need to know; empty by default.
  virtual RayFan ray_fan() const { return {}; }
  /// What direct reconstruction needs to know for slices that not all views see; empty by default.
  virtual RowFan row_fan() const { return {}; }
  /// For updates of neighbouring pixels together; none where single ones do as well.
  virtual std::optional<PixelCorrelations> pixel_correlations() const { return std::nullopt; }
  /// This geometry with more detector channels before the first and after the last, the others where they are; null
  /// where that is not needed.
  virtual std::shared_ptr<Geometry const> widened(int before, int after) const {
    (void)before;
    (void)after;
    return nullptr;
  }
  /// This geometry on a grid and a detector that are `factor` times coarser, with the same centres: cells of the
  /// detector hold `factor` channels, and as many rows where slices are coarser, too. Null where there is none.
  virtual std::shared_ptr<Geometry const> coarsened(int factor) const {
    (void)factor;
    return nullptr;
  }
  /// [slice]: factors s that damp the mean of each slice in an update of iterative reconstruction; empty: no damping.
  /// Source: solver.md 2.5.
  virtual std::vector<double> slice_mean_damping() const { return {}; }
  /// Name of the direct reconstruction: fbp or fdk.
  virtual std::string direct_name() const = 0;
  /// Parameters beyond GeometryParams.
  virtual std::vector<NamedParameter> extra_parameters() const { return {}; }

 private:
  GeometryParams params_;
};

}  // namespace strata
