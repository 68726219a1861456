/// A persistent host thread that runs one task at a time.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace strata {

/// start() hands over a task, wait() returns when it is done and rethrows its exception. The task is borrowed, not
/// copied: it must live until wait() returns.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(Worker const&) = delete;
  Worker& operator=(Worker const&) = delete;

  void start(std::function<void()> task);
  void wait();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  std::exception_ptr failure_;
  bool busy_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace strata
