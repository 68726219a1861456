#include "core/solver/pixel_partition.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/base/error.hpp"
#include "core/base/types.hpp"
#include "core/solver/pixel_cell.hpp"

namespace strata {

namespace {

int clamped_subsets(std::vector<int> const& indices, int num_subsets) {
  require(!indices.empty(), "pixel partition: the region of reconstruction must hold at least one pixel, it is empty");
  require(num_subsets >= 1, "granularity: a number of subsets must be at least 1, found ", num_subsets);
  return static_cast<int>(std::min<Index>(num_subsets, static_cast<Index>(indices.size())));
}

/// How many pixels reference_partition() appends, and among how many it chooses them.
struct Padding {
  Index per_subset;
  Index extra;
  std::size_t candidates;
};

Padding padding_of(Index num_pixels, Index num_subsets) {
  Index const per_subset = (num_pixels + num_subsets - 1) / num_subsets;
  return {per_subset, num_subsets * per_subset - num_pixels,
          static_cast<std::size_t>(std::min((num_subsets - 1) * per_subset, num_pixels))};
}

/// Subset s gets the pixels of the units at positions [cut(s), cut(s + 1)) of `permuted`, increasing; unit_of(pixel) is
/// the one that a pixel belongs to. Units are labelled and pixels then swept in order, which is several times faster
/// than sorting the subsets.
template <class Cut, class UnitOf = std::identity>
std::vector<std::vector<int>> cut_sorted(std::vector<int> const& permuted, std::vector<int> const& indices,
                                         int num_subsets, Cut const& cut, UnitOf const& unit_of = {}) {
  std::vector<int> label(static_cast<std::size_t>(*std::ranges::max_element(permuted)) + 1);
  std::vector<std::vector<int>> subsets(static_cast<std::size_t>(num_subsets));
  for (int s = 0; s < num_subsets; ++s) {
    subsets[static_cast<std::size_t>(s)].reserve(static_cast<std::size_t>(cut(s + 1) - cut(s)));
    for (Index t = cut(s); t < cut(s + 1); ++t)
      label[static_cast<std::size_t>(permuted[static_cast<std::size_t>(t)])] = s;
  }
  for (int const pixel : indices)
    subsets[static_cast<std::size_t>(label[static_cast<std::size_t>(unit_of(pixel))])].push_back(pixel);
  return subsets;
}

void sort_and_drop_twins(std::vector<int>& subset) {
  std::ranges::sort(subset);
  subset.erase(std::unique(subset.begin(), subset.end()), subset.end());
}

/// Fills in partition.repeated.
void note_repeats(PixelPartition& partition) {
  partition.repeated.assign(partition.subsets.size(), {});
  int largest = -1;
  for (auto const& subset : partition.subsets)
    if (!subset.empty()) largest = std::max(largest, subset.back());
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(largest) + 1, 0);
  for (auto const& subset : partition.subsets)
    for (int const pixel : subset) {
      std::uint8_t& count = seen[static_cast<std::size_t>(pixel)];
      if (count < 2) ++count;
    }
  for (std::size_t s = 0; s < partition.subsets.size(); ++s)
    for (int const pixel : partition.subsets[s])
      if (seen[static_cast<std::size_t>(pixel)] > 1) partition.repeated[s].push_back(pixel);
}

/// The cells that hold pixels of `indices`, increasing. Marks them, which is faster than sorting.
std::vector<int> cells_of(std::vector<int> const& indices, int num_cols) {
  int const cells_in_row = (num_cols + 1) / 2, cell_rows = indices.back() / num_cols / 2 + 1;
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(cell_rows) * static_cast<std::size_t>(cells_in_row), 0);
  for (int const pixel : indices) seen[static_cast<std::size_t>(cell_of(pixel, num_cols))] = 1;
  std::vector<int> cells;
  for (std::size_t c = 0; c < seen.size(); ++c)
    if (seen[c] != 0) cells.push_back(static_cast<int>(c));
  return cells;
}

PixelPartition single_subset(std::vector<int> const& indices) {
  return {{indices}, {{}}};
}

void skip_partition(std::vector<int> const& indices, int num_subsets, LegacyRandom& random) {
  int const subsets = clamped_subsets(indices, num_subsets);
  if (subsets == 1) return;
  random.skip_permutation(indices.size());
  random.skip_permutation(padding_of(static_cast<Index>(indices.size()), subsets).candidates);
}

void skip_cell_partition(std::vector<int> const& indices, int num_subsets, int num_cols, LegacyRandom& random) {
  if (clamped_subsets(indices, num_subsets) == 1) return;
  // A single cell draws nothing, whether it is permuted or not.
  random.skip_permutation(cells_of(indices, num_cols).size());
}

}  // namespace

PixelPartition reference_partition(std::vector<int> const& indices, int num_subsets, LegacyRandom& random) {
  int const count = clamped_subsets(indices, num_subsets);
  if (count == 1) return single_subset(indices);
  Padding const padding = padding_of(static_cast<Index>(indices.size()), count);

  auto const num_pixels = static_cast<Index>(indices.size());
  std::vector<int> const pixels = random.permutation(indices);
  std::vector<int> const candidates(pixels.begin(), pixels.begin() + static_cast<Index>(padding.candidates));
  std::vector<int> const extra = random.choice(candidates, static_cast<int>(padding.extra));

  PixelPartition partition;
  partition.subsets =
      cut_sorted(pixels, indices, count, [&](Index s) { return std::min(s * padding.per_subset, num_pixels); });
  for (Index e = 0; e < padding.extra; ++e) {
    auto const s = static_cast<std::size_t>((num_pixels + e) / padding.per_subset);
    partition.subsets[s].push_back(extra[static_cast<std::size_t>(e)]);
  }
  for (auto s = static_cast<std::size_t>(num_pixels / padding.per_subset); s < partition.subsets.size(); ++s)
    sort_and_drop_twins(partition.subsets[s]);
  note_repeats(partition);
  return partition;
}

PixelPartition balanced_partition(std::vector<int> const& indices, int num_subsets, LegacyRandom& random) {
  int const count = clamped_subsets(indices, num_subsets);
  if (count == 1) return single_subset(indices);
  auto const num_pixels = static_cast<Index>(indices.size());
  std::vector<int> const pixels = random.permutation(indices);
  random.skip_permutation(padding_of(num_pixels, count).candidates);

  PixelPartition partition;
  partition.subsets = cut_sorted(pixels, indices, count, [&](Index s) { return s * num_pixels / count; });
  partition.repeated.assign(partition.subsets.size(), {});
  return partition;
}

PixelPartition cell_partition(std::vector<int> const& indices, int num_subsets, int num_cols, LegacyRandom& random) {
  int const most = clamped_subsets(indices, num_subsets);
  std::vector<int> const cells = cells_of(indices, num_cols);
  int const count = std::min(most, static_cast<int>(cells.size()));
  if (count == 1) return single_subset(indices);
  auto const num_cells = static_cast<Index>(cells.size());
  std::vector<int> const permuted = random.permutation(cells);
  PixelPartition partition;
  // Rounded up, so that the cell at position c is in subset c * count / num_cells.
  partition.subsets = cut_sorted(
      permuted, indices, count, [&](Index s) { return (s * num_cells + count - 1) / count; },
      [&](int pixel) { return cell_of(pixel, num_cols); });
  partition.repeated.assign(partition.subsets.size(), {});
  return partition;
}

Index most_cell_entries(std::vector<bool> const& mask, int num_subsets, int num_cols) {
  std::vector<int> indices;
  for (std::size_t p = 0; p < mask.size(); ++p)
    if (mask[p]) indices.push_back(static_cast<int>(p));
  if (indices.empty()) return 0;
  auto const cells = static_cast<Index>(cells_of(indices, num_cols).size());
  return std::min(static_cast<Index>(indices.size()), 4 * ((cells + num_subsets - 1) / num_subsets));
}

std::vector<PixelPartition> make_partitions(std::vector<int> const& indices, std::span<int const> granularity,
                                            PartitionMode mode, LegacyRandom& random, std::span<int const> schedule,
                                            int cell_cols) {
  require(!granularity.empty(), "granularity: at least one number of subsets is needed, the list is empty");
  std::vector<PixelPartition> partitions(granularity.size());
  for (std::size_t g = 0; g < granularity.size(); ++g) {
    bool const needed = schedule.empty() || std::ranges::find(schedule, static_cast<int>(g)) != schedule.end();
    if (cell_cols > 0) {
      if (needed)
        partitions[g] = cell_partition(indices, granularity[g], cell_cols, random);
      else
        skip_cell_partition(indices, granularity[g], cell_cols, random);
      continue;
    }
    if (!needed)
      skip_partition(indices, granularity[g], random);
    else if (mode == PartitionMode::reference)
      partitions[g] = reference_partition(indices, granularity[g], random);
    else
      partitions[g] = balanced_partition(indices, granularity[g], random);
  }
  return partitions;
}

PixelPartition given_partition(std::vector<std::vector<int>> subsets, int num_pixels) {
  require(!subsets.empty(), "partitions: a partition must have at least one subset, it has none");
  for (auto& subset : subsets) {
    require(!subset.empty(), "partitions: a subset must have at least one pixel, found an empty one");
    sort_and_drop_twins(subset);
    int const wrong = subset.front() < 0 ? subset.front() : subset.back();
    require(wrong >= 0 && wrong < num_pixels, "partitions: pixels must be in [0, ", num_pixels, "), found ", wrong);
  }
  PixelPartition partition{std::move(subsets), {}};
  note_repeats(partition);
  return partition;
}

}  // namespace strata
