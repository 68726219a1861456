#include "core/placement/device_choice.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/placement/instances.hpp"
#include "core/placement/view_groups.hpp"

namespace strata {
namespace {

Index divide_up(Index a, Index b) {
  return (a + b - 1) / b;
}

/// True when `count` devices have room for their shares.
bool fits(int count, std::vector<Index> const& free_bytes, DeviceWork const& work) {
  return divide_up(work.bytes, count) <= *std::min_element(free_bytes.begin(), free_bytes.begin() + count);
}

double denoising_seconds(int count, DeviceWork const& work, DeviceCosts const& costs) {
  auto const pixels = static_cast<double>(work.num_pixels);
  double const compute =
      pixels * static_cast<double>(divide_up(work.num_slices, count)) / costs.voxels + costs.launches;
  if (count == 1) return compute;
  double const received = 2 * pixels * sizeof(Real);
  return compute + received / costs.link_bytes + costs.round + 3 * count * costs.round_per_device;
}

}  // namespace

double pass_seconds(int count, DeviceWork const& work, DeviceCosts const& costs) {
  if (work.num_views == 0) return denoising_seconds(count, work, costs);
  ViewGroups const groups(work.num_views);
  double const volume = static_cast<double>(work.num_pixels) * work.num_slices;
  double const largest_share = static_cast<double>(divide_up(groups.num_groups, count)) / groups.num_groups;
  double const rate = work.couples_slices ? costs.coupled_updates : costs.slice_updates;
  double const compute = 3 * volume * work.num_views * largest_share / rate + costs.visits * costs.launches;
  if (count == 1) return compute;
  double const received = 2 * volume * sizeof(Real) * (count - 1) / count;
  return compute + received / costs.link_bytes + costs.visits * (costs.round + 3 * count * costs.round_per_device);
}

int most_useful_devices(int available, DeviceWork const& work) {
  int count = std::min(available, work.num_slices);
  if (work.num_views > 0) count = std::min(count, ViewGroups(work.num_views).num_groups);
  // Shares are of equal length, rounded up: the last devices may be left without slices.
  while (count > 1 && divide_up(work.num_slices, divide_up(work.num_slices, count)) < count) --count;
  return std::max(count, 1);
}

DeviceChoice choose_devices(std::vector<Index> const& free_bytes, DeviceWork const& work, DeviceCosts const& costs) {
  ensure(!free_bytes.empty() && work.num_slices > 0 && work.num_views >= 0, "choose_devices: nothing to choose");
  int const available = static_cast<int>(free_bytes.size());
  int const most = most_useful_devices(available, work);
  int fewest = 1;
  while (fewest < most && !fits(fewest, free_bytes, work)) ++fewest;
  double best = pass_seconds(fewest, work, costs);
  for (int n = fewest + 1; n <= most; ++n) best = std::min(best, pass_seconds(n, work, costs));
  int count = fewest;
  while (pass_seconds(count, work, costs) > (1 + costs.worthwhile) * best) ++count;
  if (count == available) return {count, ""};
  char const* const none = work.num_views > 0 ? "no slices or views for more" : "no slices for more";
  char const* const why = count == most ? none : "more would not be faster";
  return {count, text(why, " (", available, " found)")};
}

std::string missing_device() {
  if (num_physical_devices() > 0) return {};
  return text("this build is for ", back_end_name(), ", and there is no such device");
}

}  // namespace strata
