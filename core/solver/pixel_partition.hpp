/// Random partitions of the pixels into the subsets that VCD updates one after the other.
#pragma once

#include <span>
#include <vector>

#include "core/base/types.hpp"
#include "core/solver/random.hpp"

namespace strata {

/// Subsets of pixels; the pixels of a subset are different and increasing.
struct PixelPartition {
  std::vector<std::vector<int>> subsets;
  /// repeated[s]: the pixels of subset s that another subset holds, too, increasing. Their neighbours in other shards
  /// may have changed since the pass began, so halos must be refreshed there before subset s runs.
  std::vector<std::vector<int>> repeated;

  int num_subsets() const { return static_cast<int>(subsets.size()); }
  bool empty() const { return subsets.empty(); }
};

enum class PartitionMode {
  balanced,  ///< each pixel once; sizes differ by at most one
  reference  ///< equal sizes; as many pixels as that takes are repeated, as in MBIRJAX
};

/// Equal subsets of ceil(n / num_subsets) pixels, filled up with pixels of the others; the repeats stand in the last
/// subset or subsets. One subset draws no random numbers. A pixel that is drawn into a subset that holds it already (it
/// takes more subsets than half the pixels) is dropped there, so that a subset never writes a voxel twice.
///   indices  increasing, at least one
/// Source: solver specification 3.2.
PixelPartition reference_partition(std::vector<int> const& indices, int num_subsets, LegacyRandom& random);

/// The same permutation cut into subsets without repeats. Draws as many random numbers as reference_partition().
PixelPartition balanced_partition(std::vector<int> const& indices, int num_subsets, LegacyRandom& random);

/// As many cells of 2 x 2 pixels, those with the same row / 2 and col / 2, in each subset; at the region's edge cells
/// hold fewer pixels.
PixelPartition cell_partition(std::vector<int> const& indices, int num_subsets, int num_cols, LegacyRandom& random);

/// What a subset of cell_partition() holds at most, of the pixels where `mask` is true.
Index most_cell_entries(std::vector<bool> const& mask, int num_subsets, int num_cols);

/// One partition for each entry of `granularity` (numbers of subsets), in order, from one stream. Partitions that
/// `schedule` does not name stay empty, the stream advances as if they were made; an empty schedule names all.
/// `cell_cols` > 0: columns of the plane, partitions are of cells.
/// \throws InputError for no indices, an empty granularity, or a number of subsets below 1.
std::vector<PixelPartition> make_partitions(std::vector<int> const& indices, std::span<int const> granularity,
                                            PartitionMode mode, LegacyRandom& random,
                                            std::span<int const> schedule = {}, int cell_cols = 0);

/// A partition read from a file, in the order given there: rows are sorted, pixels that occur twice are noted.
///   subsets  [subset][entry]
/// \throws InputError when a pixel is outside [0, num_pixels).
PixelPartition given_partition(std::vector<std::vector<int>> subsets, int num_pixels);

/// The order in which the subsets of one pass are visited; fresh for each iteration.
inline std::vector<int> subset_order(PixelPartition const& partition, LegacyRandom& random) {
  return random.permutation(partition.num_subsets());
}

}  // namespace strata
