/// The projector of one geometry on one device. Geometries implement it; core only knows this interface.
#pragma once

#include "core/base/types.hpp"
#include "core/model/pixel_list.hpp"
#include "core/model/shapes.hpp"
#include "core/placement/slice_blocks.hpp"
#include "core/placement/view_groups.hpp"

namespace strata {

/// Cylinders of listed pixels, blocks `blocks` (global numbers) of them: values[block - blocks.begin][position][lane].
struct CylinderBand {
  Range blocks;
  PixelList pixels;
  Position position = Position::by_pixel;
  ConstCylinders values;
  /// forward_project() adds to the sinogram. A list that is handed over in parts which begin at multiples of
  /// part_alignment entries gives the bits of the whole list.
  bool accumulate = false;
  static constexpr int part_alignment = 256;
};

/// A direction d on a subset (compact, all blocks) that is subtracted from an error sinogram after a factor is known.
struct PendingStep {
  CylinderBand direction;  ///< empty pixel list: nothing is pending
  Real alpha = 0;
  /// The last curvature() was of this direction, with these values: a projector may have kept its projection.
  bool measured = false;
};

/// All functions only launch on `exec`: no allocation, no fence. Sinograms are shards: entry v of the first axis is
/// view views.begin + v of the range given at construction.
class Projector {
 public:
  virtual ~Projector() = default;

  /// True when a slice contributes to several detector rows (cone beam): then bands hold all blocks.
  virtual bool couples_slices() const = 0;

  /// sino = A x for this device's views, x being zero outside the band's pixels. Writes all channels of the row blocks
  /// that belong to band.blocks (all row blocks when couples_slices()), real and padded lanes; views beyond the
  /// device's own are left alone.
  virtual void forward_project(ExecSpace const& exec, CylinderBand const& band, Sinogram const& sino) const = 0;

  /// out = sum over the views of `node` of A'y (power 1) or (A o A)'y (power 2) at `pixels`, blocks `blocks`; entries
  /// out[block - blocks.begin][position][lane] of listed pixels are overwritten, others left alone. Views are summed in
  /// the fixed tree of ViewGroups. The groups of `node` must be this device's own.
  virtual void back_project(ExecSpace const& exec, TreeNode node, ConstSinogram const& sino, int power, Range blocks,
                            PixelList const& pixels, Position position, Cylinders const& out) const = 0;

  /// per_view[v] = sum over rows and channels of w q^2, q = A_S d, in double and in an order that depends on the shapes
  /// alone. An empty `weights` view stands for ones.
  virtual void curvature(ExecSpace const& exec, CylinderBand const& direction, ConstSinogram const& weights,
                         Array1<double> const& per_view) const = 0;

  /// weighted_error -= alpha * w * (A_S d) for the pending step.
  virtual void descend(ExecSpace const& exec, PendingStep const& step, ConstSinogram const& weights,
                       Sinogram const& weighted_error) const = 0;

  /// Where slices do not couple, directions of at most so many entries may be projected by curvature() and descend() in
  /// an order of their own, which differs from that of forward_project().
  static constexpr int own_order_entries = 4096;

  /// curvature() of a direction whose projection is in `projection`, a shard that forward_project() has written. The
  /// same bits, except for directions of at most own_order_entries.
  virtual void projection_curvature(ExecSpace const& exec, ConstSinogram const& projection,
                                    ConstSinogram const& weights, Array1<double> const& per_view) const = 0;

  /// descend() along such a direction: weighted_error -= alpha * w * projection, the same bits.
  virtual void subtract_projection(ExecSpace const& exec, ConstSinogram const& projection, Real alpha,
                                   ConstSinogram const& weights, Sinogram const& weighted_error) const = 0;

  /// descend(), then for each node n: out[n] = A'(weighted_error) as back_project() with power 1, all blocks,
  /// Position::by_entry. One sweep over the sinogram where the subset is small. Bit-equal to the two calls.
  /// out is [node * num_blocks + block][entry][lane].
  virtual void descend_and_back_project(ExecSpace const& exec, PendingStep const& step, ConstSinogram const& weights,
                                        Sinogram const& weighted_error, PixelList const& pixels,
                                        Cylinders const& out) const = 0;

  /// The tree nodes that cover this device's views, left to right: the `n` of descend_and_back_project().
  virtual std::vector<TreeNode> const& nodes() const = 0;
};

}  // namespace strata
