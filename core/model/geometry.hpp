/// What the rest of Strata knows of a scan's geometry.
#pragma once

#include <memory>
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
  double magnification = 1;  ///< of the rotation axis; 1 for parallel beams
};

/// The filter step of direct reconstruction: f = scale * pi / views * ramp * (weight . y).
struct DirectFilterParams {
  double scale = 1;
  std::vector<float> det_weights;    ///< [row][channel]; empty: ones
  std::vector<float> slice_weights;  ///< [slice], applied after back projection; empty: ones
};

/// A named number, list or text of the resolved model, for the output file.
struct NamedParameter {
  std::string name;
  std::vector<double> numbers;
  std::string text;
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
  virtual DirectFilterParams direct_filter() const = 0;
  /// Name of the direct reconstruction: fbp or fdk.
  virtual std::string direct_name() const = 0;
  /// Parameters beyond GeometryParams.
  virtual std::vector<NamedParameter> extra_parameters() const { return {}; }

 private:
  GeometryParams params_;
};

}  // namespace strata
