#include "core/solver/subset_plan.hpp"

#include <algorithm>

#include "core/model/pixel_list_builder.hpp"

namespace strata {
namespace {

/// All subsets one after the other, each in Z order. Without repeats one walk over the plane sorts them all.
std::vector<int> concatenated(TomographyModel const& model, PixelPartition const& partition) {
  std::vector<std::size_t> next(partition.subsets.size() + 1, 0);
  for (std::size_t s = 0; s < partition.subsets.size(); ++s) next[s + 1] = next[s] + partition.subsets[s].size();
  std::vector<int> all(next.back());
  bool const repeats =
      std::any_of(partition.repeated.begin(), partition.repeated.end(), [](auto const& list) { return !list.empty(); });
  if (repeats) {
    for (std::size_t s = 0; s < partition.subsets.size(); ++s) {
      auto const sorted = z_order(partition.subsets[s], model.recon_shape().num_cols);
      std::copy(sorted.begin(), sorted.end(), all.begin() + static_cast<std::ptrdiff_t>(next[s]));
    }
    return all;
  }
  std::vector<int> owner(static_cast<std::size_t>(model.recon_shape().num_pixels()), -1);
  for (std::size_t s = 0; s < partition.subsets.size(); ++s)
    for (int const pixel : partition.subsets[s]) owner[pixel] = static_cast<int>(s);
  for (int const pixel : model.all_pixels().host)
    if (owner[pixel] >= 0) all[next[owner[pixel]]++] = pixel;
  return all;
}

template <class T>
Array1<T const> part(Array1<T const> const& whole, std::size_t begin, std::size_t end) {
  return Kokkos::subview(whole, Kokkos::pair<std::size_t, std::size_t>(begin, end));
}

/// `all`: the subsets of `partition` one after the other, each in the order its list gets.
SubsetPlan plan_of(DeviceSet const& devices, int num_cols, PixelPartition const& partition,
                   std::vector<int> const& all) {
  std::vector<int> repeated;
  for (auto const& list : partition.repeated) repeated.insert(repeated.end(), list.begin(), list.end());

  SubsetPlan plan;
  plan.subsets.resize(partition.subsets.size());
  auto const num_devices = static_cast<std::size_t>(devices.size());
  for (std::size_t s = 0; s < plan.subsets.size(); ++s) {
    plan.subsets[s].count = static_cast<int>(partition.subsets[s].size());
    plan.subsets[s].pixels.resize(num_devices);
    if (s < partition.repeated.size() && !partition.repeated[s].empty()) plan.subsets[s].repeated.resize(num_devices);
  }
  for (int const d : devices.local()) {
    PixelList const list = make_pixel_list(devices.exec(d), all, num_cols);
    PixelList const repeats = repeated.empty() ? PixelList{} : make_pixel_list(devices.exec(d), repeated, num_cols);
    std::size_t begin = 0;
    std::size_t first_repeat = 0;
    for (std::size_t s = 0; s < plan.subsets.size(); ++s) {
      std::size_t const end = begin + partition.subsets[s].size();
      plan.subsets[s].pixels[d] = {part(list.index, begin, end), part(list.row, begin, end),
                                   part(list.col, begin, end)};
      begin = end;
      std::size_t const count = s < partition.repeated.size() ? partition.repeated[s].size() : 0;
      if (count > 0) plan.subsets[s].repeated[d] = part(repeats.index, first_repeat, first_repeat + count);
      first_repeat += count;
    }
  }
  for (auto const& subset : plan.subsets) plan.max_size = std::max(plan.max_size, subset.size());
  return plan;
}

}  // namespace

SubsetPlan make_subset_plan(TomographyModel const& model, PixelPartition const& partition) {
  return plan_of(model.devices(), model.recon_shape().num_cols, partition, concatenated(model, partition));
}

SubsetPlan make_subset_plan(DeviceSet const& devices, int num_cols, PixelPartition const& partition) {
  std::vector<int> all;
  for (auto const& subset : partition.subsets) all.insert(all.end(), subset.begin(), subset.end());
  return plan_of(devices, num_cols, partition, all);
}

}  // namespace strata
