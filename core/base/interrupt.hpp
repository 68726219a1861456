/// SIGINT and SIGTERM end a run at the next safe point.
#pragma once

namespace strata {

/// Installs handlers for SIGINT and SIGTERM that only set a flag; puts the former handlers back at the end. A second
/// signal ends the process at once. One at a time, in main().
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(InterruptGuard const&) = delete;
  InterruptGuard& operator=(InterruptGuard const&) = delete;
};

/// True when a signal has come.
bool interrupt_requested();

/// To be called where a run may stop: \throws Interrupted when a signal has come, unless a DeferInterrupts lives.
void check_interrupt();

/// For work that must be finished before the run may stop: writing a checkpoint.
class DeferInterrupts {
 public:
  DeferInterrupts();
  ~DeferInterrupts();
  DeferInterrupts(DeferInterrupts const&) = delete;
  DeferInterrupts& operator=(DeferInterrupts const&) = delete;
};

}  // namespace strata
