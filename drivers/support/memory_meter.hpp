/// How much memory the device arrays take.
#pragma once

#include <vector>

#include "core/placement/device_set.hpp"

namespace strata {

/// Counts from now on, by Kokkos' tool callbacks, every allocation in the memory of the devices; where that is the
/// host's, only what make_view() allocates. Tools that were loaded still get their calls.
void start_memory_meter();

/// From now on `devices` are told apart. What was allocated before, and on GPUs what Kokkos allocates for itself,
/// counts as device 0's.
void meter_devices(Devices const& devices);

/// All peaks below count from now on, that of the host where the system allows it.
void restart_memory_peaks();

/// Largest sum of all devices so far, bytes.
Index peak_device_bytes();
/// Largest bytes of each of the metered devices so far; one entry without meter_devices().
std::vector<Index> peak_bytes_by_device();
/// Sum of all devices now, bytes.
Index current_device_bytes();

/// Largest resident memory of this process so far, and now, bytes.
Index peak_host_bytes();
Index current_host_bytes();
/// What new allocations on the host may take before it swaps.
Index available_host_bytes();

}  // namespace strata
