/// Kernels of one subset update on one slice owner. Arrays of a subset are compact: [block][entry][lane].
#pragma once

#include "core/model/pixel_list.hpp"
#include "core/placement/memory.hpp"
#include "core/placement/slice_blocks.hpp"

namespace strata {

/// The shard a kernel works on.
struct ShardBlocks {
  SliceBlocks blocks;
  int shard = 0;
  KOKKOS_FUNCTION int real_lanes(int block) const { return blocks.slices(shard * blocks.per_shard + block).size(); }
};

/// Sums per slice of one shard, in double. Entries are added in chunks of fixed length, chunks in order, so the sums do
/// not depend on threads, and slices are kept apart, so they do not depend on devices.
class SliceSums {
 public:
  static constexpr int chunk = 256;

  SliceSums() = default;
  /// Room for `quantities` sums per slice over at most `max_entries` cylinders.
  SliceSums(ExecSpace const& exec, SliceBlocks const& blocks, int quantities, int max_entries);

  int quantities() const { return quantities_; }
  Array3<double> const& partial() const { return partial_; }  ///< [chunk][quantity][block * lanes + lane]
  Array2<double> const& total() const { return total_; }      ///< [quantity][block * lanes + lane]

  /// total = sum of the first chunks of partial() for `entries` cylinders; `accumulate`: added to total.
  void add_chunks(ExecSpace const& exec, int entries, bool accumulate) const;

 private:
  int quantities_ = 0;
  Array3<double> partial_;
  Array2<double> total_;
};

inline int num_chunks(int entries) {
  return (entries + SliceSums::chunk - 1) / SliceSums::chunk;
}

/// Step lengths are found in double and used in single precision.
KOKKOS_INLINE_FUNCTION Real as_real(double value) {
  return static_cast<Real>(value);
}

/// How a direction is made.
struct DirectionRule {
  Real data_factor = 1;         ///< 1 / sigma_y^2
  bool clip_direction = false;  ///< positivity: d = 0 where x <= 0 and g > 0, else max(d, -x)
};

struct SubsetArrays {
  Array1<int const> pixels;        ///< [entry]; not a list, kernels would be too large to be launched quickly
  ConstCylinders back_projection;  ///< A'(w e)
  ConstCylinders prior_gradient;
  ConstCylinders prior_curvature;
  ConstCylinders hessian;            ///< (A o A)'w, whole shard [block][pixel][lane]
  ConstCylinders recon;              ///< x, whole shard
  Cylinders direction;               ///< written
  Array1<Real const> undamped = {};  ///< 1 - s at [block * lanes + lane]; empty: slice means are not damped
  Array2<double const> means = {};   ///< of subset_slice_means(), where they are damped
};

/// sums: quantity 0: g / curvature, quantity 1: 1 / curvature, curvature = data_factor H + prior curvature; their ratio
/// is the mean of g over the subset's pixels of a slice, weighted by 1 / curvature.
void subset_slice_means(ExecSpace const& exec, ShardBlocks const& shard, DirectionRule const& rule,
                        SubsetArrays const& arrays, SliceSums const& sums);

/// direction = -(g - (1 - s) mean(g)) / (data_factor H + prior curvature), g = prior gradient - data_factor * back
/// projection; the means count only where `undamped` is given (solver.md 2.5). 0 in padded lanes. sums: quantity 0: -g
/// d, quantity 1: prior curvature d^2.
void subset_direction(ExecSpace const& exec, ShardBlocks const& shard, DirectionRule const& rule,
                      SubsetArrays const& arrays, SliceSums const& sums);

/// direction = max(-x / (alpha + eps), direction): the reference's positivity, after the step is known.
void clip_direction_for_step(ExecSpace const& exec, PixelList const& pixels, ConstCylinders const& recon, Real alpha,
                             Cylinders const& direction);

/// recon += alpha * direction. sums, accumulated over subsets: quantity 0: |alpha d|, quantity 1: (alpha d)^2.
void apply_step(ExecSpace const& exec, ShardBlocks const& shard, PixelList const& pixels, Real alpha,
                ConstCylinders const& direction, Cylinders const& recon, SliceSums const& sums);

/// sums: quantity 0: |recon| over all pixels.
void absolute_sum(ExecSpace const& exec, ShardBlocks const& shard, ConstCylinders const& recon, SliceSums const& sums);

}  // namespace strata
