#include "bench/suite/measure.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "bench/machine_peaks.hpp"
#include "core/base/interrupt.hpp"

namespace strata::bench {

Timing measure(DeviceSet const& devices, int repeat, Measured const& measured) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  Timing timing;
  timing.cpu = std::numeric_limits<double>::max();
  timing.repeats = repeat;
  for (int i = -1; i < repeat; ++i) {
    check_interrupt();
    measured.prepare();
    devices.fence("strata::bench: before timing");
    double const cpu = cpu_seconds();
    auto const start = Clock::now();
    measured.call();
    devices.fence("strata::bench: timing");
    double const elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    if (i < 0) continue;
    seconds.push_back(elapsed);
    timing.cpu = std::min(timing.cpu, (cpu_seconds() - cpu) / ExecSpace().concurrency());
  }
  std::sort(seconds.begin(), seconds.end());
  timing.best = seconds.front();
  auto const half = seconds.size() / 2;
  timing.median = seconds.size() % 2 == 1 ? seconds[half] : 0.5 * (seconds[half - 1] + seconds[half]);
  return timing;
}

}  // namespace strata::bench
