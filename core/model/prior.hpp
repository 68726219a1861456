/// The prior of a reconstruction. Priors implement it; core only knows this interface.
#pragma once

#include <array>

#include "core/base/error.hpp"
#include "core/base/types.hpp"
#include "core/model/pixel_list.hpp"
#include "core/model/shapes.hpp"
#include "core/placement/slice_blocks.hpp"

namespace strata {

/// One device's part of a volume with the boundary slices of its neighbours.
struct VolumeShard {
  ReconShape shape;  ///< of the whole volume
  SliceBlocks blocks;
  int shard = 0;          ///< index of this device's shard
  ConstCylinders values;  ///< [block of the shard][pixel][lane], all pixels of the plane
  Array1<Real const>
      below;  ///< [pixel] slice before the shard's first; empty view: reflection (true end of the volume)
  Array1<Real const> above;  ///< [pixel] slice after the shard's last real one; empty view: reflection
};

/// Directions along which a whole volume may move, as shards beside that of the volume.
struct DirectionShards {
  static constexpr int most = 3;
  int count = 0;
  std::array<VolumeShard, most> shards;
};

/// Sums that describe a quadratic in the factors t of n directions: its value at 0, its n slopes, and its curvatures
/// of the pairs (0, 0), (0, 1), .. (1, 1), .., in this order.
constexpr int num_quadratic_sums(int n) {
  return 1 + n + n * (n + 1) / 2;
}

/// Where the curvature of the edges to the next pixels goes: [block of the shard][entry][lane], of cylinders as in
/// Prior::gradient_and_curvature().
struct PlaneCouplings {
  Cylinders next_row;  ///< edges to the pixel of the next row
  Cylinders next_col;  ///< edges to the pixel of the next column
};

/// Functions only launch on `exec`: no allocation, no fence.
class Prior {
 public:
  virtual ~Prior() = default;

  /// Gradient and diagonal surrogate curvature at the cylinders of `pixels`:
  ///   gradient, curvature [block of the shard][entry][lane], overwritten. Real lanes hold values; in padded lanes the
  ///   gradient is 0 and the curvature is positive and finite, whatever the padding of the volume holds.
  virtual void gradient_and_curvature(ExecSpace const& exec, VolumeShard const& volume, PixelList const& pixels,
                                      Cylinders const& gradient, Cylinders const& curvature) const = 0;

  /// True when pixels interact in the plane, so that gradient_curvature_and_couplings() has couplings to give.
  virtual bool couples_pixels() const { return false; }

  /// gradient_and_curvature(), the same bits, and the curvature b c of the edges between a listed pixel s and the pixel
  /// r of the next row or column, in the same slice: the surrogate of the prior contains 1/2 b c (d_s - d_r)^2 for such
  /// an edge, so its Hessian has -b c off the diagonal. Real lanes hold values, padded lanes 0, whatever the padding of
  /// the volume holds; at the last row or column the value is finite and has no meaning.
  /// \throws Error when the prior has none, as by default.
  virtual void gradient_curvature_and_couplings(ExecSpace const& exec, VolumeShard const& volume,
                                                PixelList const& pixels, Cylinders const& gradient,
                                                Cylinders const& curvature, PlaneCouplings const& couplings) const {
    (void)exec, (void)volume, (void)pixels, (void)gradient, (void)curvature, (void)couplings;
    throw Error("internal error: this prior has no couplings");
  }

  /// per_slice[k - first slice of the shard] = the part of the prior's value that slice k accounts for (its in-plane
  /// differences and the one to slice k + 1), in double, fixed order, over the whole rectangular grid.
  virtual void loss_per_slice(ExecSpace const& exec, VolumeShard const& volume,
                              Array1<double> const& per_slice) const = 0;

  /// Into how many parts surrogate_sums() cuts the plane.
  static constexpr int surrogate_parts = 64;

  /// A quadratic that bounds the prior of x + sum t_i d_i from above and touches it at t = 0:
  ///   value + sum_i t_i slope_i + 1/2 sum_ij t_i t_j curvature_ij, over the whole rectangular grid.
  /// partial[part][num_quadratic_sums() of them][block * lanes + lane] holds the share of a part of the pixels and of
  /// one slice, as in loss_per_slice(); in padded lanes it holds numbers without meaning. Shards of the directions come
  /// with their boundary slices. No directions: the value alone.
  virtual void surrogate_sums(ExecSpace const& exec, VolumeShard const& volume, DirectionShards const& directions,
                              Array3<double> const& partial) const {
    (void)exec, (void)volume, (void)directions, (void)partial;
    throw Error("internal error: this prior has no surrogate_sums()");
  }

  /// True when cylinders of neighbouring shards interact, so that halos have to be staged.
  virtual bool needs_halos() const = 0;
};

}  // namespace strata
