#include <gtest/gtest.h>

#include <csignal>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"

namespace strata {
namespace {

TEST(Interrupt, NothingHappensWithoutASignal) {
  InterruptGuard const guard;

  EXPECT_FALSE(interrupt_requested());
  EXPECT_NO_THROW(check_interrupt());
}

TEST(Interrupt, ASignalThrowsAtTheNextCheckWithExitCode130) {
  for (int const signal : {SIGINT, SIGTERM}) {
    InterruptGuard const guard;

    std::raise(signal);

    EXPECT_TRUE(interrupt_requested());
    try {
      check_interrupt();
      FAIL() << "no exception for signal " << signal;
    } catch (Interrupted const& error) {
      EXPECT_EQ(int(error.code()), 130);
    }
  }
}

TEST(Interrupt, TheGuardPutsTheFormerHandlerBackAndForgetsTheSignal) {
  static volatile std::sig_atomic_t calls = 0;
  auto const former = std::signal(SIGINT, [](int) { calls = calls + 1; });
  {
    InterruptGuard const guard;
    std::raise(SIGINT);
    EXPECT_EQ(calls, 0);
  }

  std::raise(SIGINT);

  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(interrupt_requested());
  std::signal(SIGINT, former);
}

TEST(Interrupt, ASecondSignalEndsAHangingRun) {
  EXPECT_EXIT(
      {
        InterruptGuard const guard;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace strata
