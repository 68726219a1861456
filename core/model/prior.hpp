/// The prior of a reconstruction. Priors implement it; core only knows this interface.
#pragma once

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

/// Functions only launch on `exec`: no allocation, no fence.
class Prior {
 public:
  virtual ~Prior() = default;

  /// Gradient and diagonal surrogate curvature at the cylinders of `pixels`:
  ///   gradient, curvature [block of the shard][entry][lane], overwritten. Real lanes hold values; in padded lanes the
  ///   gradient is 0 and the curvature is positive and finite, whatever the padding of the volume holds.
  virtual void gradient_and_curvature(ExecSpace const& exec, VolumeShard const& volume, PixelList const& pixels,
                                      Cylinders const& gradient, Cylinders const& curvature) const = 0;

  /// per_slice[k - first slice of the shard] = the part of the prior's value that slice k accounts for (its in-plane
  /// differences and the one to slice k + 1), in double, fixed order, over the whole rectangular grid.
  virtual void loss_per_slice(ExecSpace const& exec, VolumeShard const& volume,
                              Array1<double> const& per_slice) const = 0;

  /// True when cylinders of neighbouring shards interact, so that halos have to be staged.
  virtual bool needs_halos() const = 0;
};

}  // namespace strata
