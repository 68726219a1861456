/// Things of which each device has one.
#pragma once

#include <vector>

#include "core/placement/device_set.hpp"

namespace strata {

/// [device] f(device) for the devices of this process, in global numbers; where others hold a device, what a default
/// makes. f runs on the calling thread and may create Views.
template <class F>
auto per_local_device(DeviceSet const& devices, F const& f) {
  std::vector<decltype(f(0))> values(static_cast<std::size_t>(devices.size()));
  for (int const d : devices.local()) values[static_cast<std::size_t>(d)] = f(d);
  return values;
}

}  // namespace strata
