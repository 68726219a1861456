#include "core/base/interrupt.hpp"

#include <signal.h>

#include <array>
#include <atomic>
#include <csignal>

#include "core/base/error.hpp"

namespace strata {
namespace {

volatile std::sig_atomic_t requested = 0;
std::atomic<int> deferrals = 0;

constexpr std::array<int, 2> signals = {SIGINT, SIGTERM};
std::array<struct sigaction, 2> former;

// The default action comes back by SA_RESETHAND, so that a second Ctrl-C ends a run that hangs.
extern "C" void strata_request_interrupt(int) {
  requested = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  requested = 0;
  struct sigaction action {};
  action.sa_handler = strata_request_interrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &former[i]);
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &former[i], nullptr);
  requested = 0;
}

bool interrupt_requested() {
  return requested != 0;
}

void check_interrupt() {
  if (interrupt_requested() && deferrals == 0) throw Interrupted();
}

DeferInterrupts::DeferInterrupts() {
  ++deferrals;
}

DeferInterrupts::~DeferInterrupts() {
  --deferrals;
}

}  // namespace strata
