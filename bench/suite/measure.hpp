/// The clock of a row.
#pragma once

#include <functional>

#include "core/placement/device_set.hpp"

namespace strata::bench {

/// Seconds of one call.
struct Timing {
  double best = 0;    ///< by the clock
  double median = 0;  ///< by the clock
  double cpu = 0;     ///< least processor time of all threads divided by their number: what an idle machine would show
  int repeats = 0;
};

struct Measured {
  std::function<void()> prepare = [] {};  ///< before every call, not timed
  std::function<void()> call;
};

/// One call to warm up, then `repeat` timed ones. A call ends when all devices are done.
Timing measure(DeviceSet const& devices, int repeat, Measured const& measured);

}  // namespace strata::bench
