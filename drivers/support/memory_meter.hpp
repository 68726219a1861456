/// How much memory the device arrays take.
#pragma once

#include "core/base/types.hpp"

namespace strata {

/// Counts from now on, by Kokkos' tool callbacks, every allocation in the memory of the devices; where that is the
/// host's, only arrays of ours (labels that begin with `strata::`). Tools that were loaded still get their calls.
void start_memory_meter();

/// Both peaks below count from now on, that of the host where the system allows it.
void restart_memory_peaks();

/// Largest sum of all devices so far, bytes. Kokkos does not tell devices apart.
Index peak_device_bytes();
/// Sum of all devices now, bytes.
Index current_device_bytes();

/// Largest resident memory of this process so far, bytes.
Index peak_host_bytes();

}  // namespace strata
