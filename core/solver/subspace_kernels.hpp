/// Element-wise kernels of a subspace step on flat shards, padding included, and those that mend negative voxels. They
/// only launch.
#pragma once

#include "core/model/pixel_list.hpp"
#include "core/model/prior.hpp"
#include "core/solver/subset_kernels.hpp"

namespace strata {

/// One shard of an array and of the directions that it moves along.
struct FlatShards {
  Index size = 0;
  Real* x = nullptr;
  Real const* directions[DirectionShards::most] = {};
  Real* newest = nullptr;  ///< may be one of the directions
};

/// value becomes other - value, value + other, value - other.
void replace_by_difference(ExecSpace const& exec, Index size, Real const* other, Real* value);
void add_to(ExecSpace const& exec, Index size, Real const* other, Real* value);
void subtract_from(ExecSpace const& exec, Index size, Real const* other, Real* value);

/// step = sum t_i direction_i; x += sign * step; newest = direction_0 + step.
void advance(ExecSpace const& exec, int count, std::array<double, DirectionShards::most> const& factors, Real sign,
             FlatShards const& shards);

/// Takes an advance() back: x -= sign * (newest - direction_0); `positive`: rounding does not leave negative values.
void retreat(ExecSpace const& exec, Real sign, bool positive, FlatShards const& shards);

/// flags[block][pixel] = 1 where a real voxel of the cylinder is negative, else 0.
void flag_negative(ExecSpace const& exec, ShardBlocks const& shard, ConstCylinders const& x, Array2<int> const& flags);

/// missing[block][entry][lane] = max(-x, 0) of the listed pixels; x and `direction` grow by it. 0 in padded lanes.
void take_negative(ExecSpace const& exec, ShardBlocks const& shard, PixelList const& pixels, Cylinders const& x,
                   Cylinders const& direction, Cylinders const& missing);

/// row, col of the first `count` entries of index.
void rows_and_columns(ExecSpace const& exec, int count, int num_cols, Array1<int const> const& index,
                      Array1<Real> const& row, Array1<Real> const& col);

}  // namespace strata
