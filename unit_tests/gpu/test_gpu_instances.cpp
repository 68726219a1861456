// Every kernel runs on an instance of the device whose worker launches it, never on Kokkos' default instance. Hosts
// cannot show it: there all instances have one number.
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "unit_tests/gpu/gpu_scan.hpp"

namespace strata::test {
namespace {

using Instance = std::uint32_t;

/// What was launched while a watch lives.
struct Launch {
  std::string label;
  Instance instance;
  std::thread::id thread;
};

struct Launches {
  std::mutex mutex;
  std::vector<Launch> all;

  static Launches& instance() {
    static Launches launches;
    return launches;
  }
};

void on_launch(char const* label, Instance instance, std::uint64_t*) {
  std::lock_guard const lock(Launches::instance().mutex);
  Launches::instance().all.push_back({label, instance, std::this_thread::get_id()});
}

class LaunchWatch {
 public:
  LaunchWatch() {
    Launches::instance().all.clear();
    set(on_launch);
  }
  ~LaunchWatch() { set(nullptr); }
  LaunchWatch(LaunchWatch const&) = delete;
  LaunchWatch& operator=(LaunchWatch const&) = delete;

 private:
  static void set(Kokkos::Tools::beginFunction function) {
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(function);
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(function);
    Kokkos::Tools::Experimental::set_begin_parallel_scan_callback(function);
  }
};

Instance instance_of(ExecSpace const& exec) {
  return Kokkos::Tools::Experimental::device_id(exec);
}

std::set<Instance> instances_of(DeviceSet const& devices, int device) {
  return {instance_of(devices.exec(device, Stream::compute)), instance_of(devices.exec(device, Stream::transfer))};
}

TEST(GpuInstances, AllStreamsOfAllDevicesAreDifferentAndNoneIsTheDefault) {
  STRATA_SKIP_WITHOUT_GPU();
  auto const devices = DeviceSet::virtual_devices(3);

  std::set<Instance> all{instance_of(ExecSpace())};
  for (int d = 0; d < 3; ++d) all.merge(instances_of(*devices, d));

  EXPECT_EQ(all.size(), 7u);
}

class GpuLaunches : public testing::TestWithParam<Beam> {};

TEST_P(GpuLaunches, StayOnTheDeviceWhoseWorkerMakesThem) {
  STRATA_SKIP_WITHOUT_GPU();
  constexpr int count = 3;
  auto const model = gpu_model(GetParam(), count);
  std::map<std::thread::id, int> worker;
  std::mutex mutex;
  model->devices().for_each([&](int d, ExecSpace const&) {
    std::lock_guard const lock(mutex);
    worker[std::this_thread::get_id()] = d;
  });
  std::set<Instance> all;
  for (int d = 0; d < count; ++d) all.merge(instances_of(model->devices(), d));

  LaunchWatch const watch;
  run_everything(*model);

  auto const& launches = Launches::instance().all;
  EXPECT_GT(launches.size(), 100u);
  std::set<std::string> misplaced;
  for (auto const& launch : launches) {
    auto const found = worker.find(launch.thread);
    auto const allowed = found == worker.end() ? all : instances_of(model->devices(), found->second);
    if (!allowed.contains(launch.instance)) misplaced.insert(launch.label);
  }
  EXPECT_EQ(misplaced, std::set<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Beams, GpuLaunches, testing::Values(Beam::parallel, Beam::cone),
                         [](auto const& test) { return test.param == Beam::parallel ? "parallel" : "cone"; });

}  // namespace
}  // namespace strata::test
