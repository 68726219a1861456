#include "core/placement/worker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace strata {
namespace {

TEST(Worker, RunsItsTasksOneAfterTheOtherOnOneThreadOfItsOwn) {
  Worker worker;
  std::vector<std::thread::id> threads;

  for (int i = 0; i < 100; ++i) {
    worker.start([&] { threads.push_back(std::this_thread::get_id()); });
    worker.wait();
  }

  ASSERT_EQ(threads.size(), 100u);
  for (auto const& thread : threads) EXPECT_EQ(thread, threads.front());
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

TEST(Worker, WaitRethrowsTheExceptionOfTheTaskOnce) {
  Worker worker;

  worker.start([] { throw std::runtime_error("broken task"); });

  EXPECT_THROW(worker.wait(), std::runtime_error);
  EXPECT_NO_THROW(worker.wait());
}

TEST(Worker, WorksOnAfterAnException) {
  Worker worker;
  worker.start([] { throw 1; });
  EXPECT_ANY_THROW(worker.wait());
  bool ran = false;

  worker.start([&] { ran = true; });
  worker.wait();

  EXPECT_TRUE(ran);
}

TEST(Worker, WaitWithoutATaskReturns) {
  Worker worker;

  EXPECT_NO_THROW(worker.wait());
}

TEST(Worker, DestructionFinishesTheTaskThatRuns) {
  std::atomic<bool> ran = false;

  {
    Worker worker;
    worker.start([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ran = true;
    });
  }

  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace strata
