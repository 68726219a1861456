#include <gtest/gtest.h>

#include "core/base/progress.hpp"

namespace strata {
namespace {

TEST(Progress, TheLineShowsBarCountTimeLeftAndNote) {
  EXPECT_EQ(progress_line("vcd", 5, 20, 10.0, "1.2 %", 100), "vcd [######..................] 5/20  30s left  1.2 %");
  EXPECT_EQ(progress_line("vcd", 0, 20, 0.0, "", 100), "vcd [........................] 0/20");
  EXPECT_EQ(progress_line("vcd", 20, 20, 40.0, "", 100), "vcd [########################] 20/20");
}

TEST(Progress, TheLineNeverWraps) {
  EXPECT_EQ(progress_line("a long title of a step", 5, 20, 10.0, std::string(200, 'x'), 40).size(), 39u);
}

TEST(Progress, DurationsAreShort) {
  EXPECT_EQ(short_duration(0.4), "0s");
  EXPECT_EQ(short_duration(59.4), "59s");
  EXPECT_EQ(short_duration(59.6), "1m00s");
  EXPECT_EQ(short_duration(185), "3m05s");
  EXPECT_EQ(short_duration(7620), "2h07m");
}

TEST(Progress, NothingIsDrawnWhereStderrIsNoTerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("vcd", 3);
    for (int i = 0; i < 3; ++i) progress.step();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace strata
