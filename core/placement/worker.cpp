#include "core/placement/worker.hpp"

#include <pthread.h>
#include <sched.h>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <utility>

namespace strata {
namespace {

/// A thread inherits the mask of the one that made it. Where OpenMP binds threads, that is one core.
void leave_binding() {
#if defined(__linux__) && defined(_OPENMP)
  if (omp_get_proc_bind() == omp_proc_bind_false) return;
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  pthread_setaffinity_np(pthread_self(), sizeof(all), &all);
#endif
}

}  // namespace

Worker::Worker() : thread_([this] { run(); }) {}

Worker::~Worker() {
  {
    std::lock_guard const lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::start(std::function<void()> task) {
  {
    std::lock_guard const lock(mutex_);
    task_ = std::move(task);
    busy_ = true;
  }
  changed_.notify_all();
}

void Worker::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Worker::run() {
  leave_binding();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return busy_ || stop_; });
    if (!busy_) return;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task_();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace strata
