/// The devices of a run: one execution space instance and one host worker each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/types.hpp"
#include "core/placement/device_choice.hpp"
#include "core/placement/exchange_form.hpp"

namespace strata {

/// What the user asked for (`devices.use`, `devices.exchange`).
struct DeviceRequest {
  enum class Kind { automatic, count, indices, host } kind = Kind::automatic;
  int count = 0;
  std::vector<int> indices;
  ExchangeForm exchange = ExchangeForm::automatic;
};

/// Where a device's work waits its turn. On GPUs transfers may run beside kernels; on hosts the two are one.
enum class Stream { compute, transfer };

/// Whether kernels of one device may read what another one holds. Memories of their own are for tests on hosts: all
/// transfers are copies then, as on GPUs.
enum class Memories { of_the_machine, apart };

/// Owns the execution space instances and the workers that launch on them. Instances die with the set, before
/// Kokkos::finalize(). On the host any number of virtual devices can be made; they share the threads.
class DeviceSet {
 public:
  /// Host back ends: automatic is one device, a count makes that many. \throws InputError for a request that this
  /// machine cannot meet.
  static std::shared_ptr<DeviceSet const> create(DeviceRequest const& request);
  /// Automatic takes as many of the machine's devices as `work` is worth, see choose_devices().
  static std::shared_ptr<DeviceSet const> create(DeviceRequest const& request, DeviceWork const& work);
  /// `n` devices on whatever the machine has; on one GPU they are streams.
  static std::shared_ptr<DeviceSet const> virtual_devices(int n, Memories memories = Memories::of_the_machine,
                                                          ExchangeForm exchange = ExchangeForm::automatic);

  ~DeviceSet();
  DeviceSet(DeviceSet const&) = delete;
  DeviceSet& operator=(DeviceSet const&) = delete;

  /// Devices of the run, numbered from 0 over all processes.
  int size() const;
  /// Global numbers of the devices that this process holds, ascending: today all of them, several processes hold parts.
  /// Whatever touches shards, kernels or buffers goes over these. What only plans, from placements alone, goes over
  /// all size() of them, so that every process comes to the same plan.
  std::vector<int> const& local() const;
  /// True where kernels of one device may read and write arrays of another, which saves copies.
  bool share_memory() const;
  /// How projections exchange volumes between the devices, as the user wants it.
  ExchangeForm exchange() const;
  /// Of a device of this process.
  ExecSpace const& exec(int device, Stream stream = Stream::compute) const;
  /// For example `3 x OpenMP (sharded)`, `1 x OpenMP (2 threads)`; says why fewer devices than there are were taken.
  std::string summary() const;
  /// One line for each device: name, threads or memory.
  std::vector<std::string> descriptions() const;
  /// Bytes of memory that device `device` of this process has free now; virtual devices share the host's.
  Index free_bytes(int device) const;

  /// Calls f(device, exec) for every device of this process, each on its own worker, and returns when all have
  /// returned. `device` is its global number. Work that f launches may still run on GPUs: fence() before another device
  /// reads it. f must not create or destroy Views. The first exception of a worker is rethrown here.
  void for_each(std::function<void(int, ExecSpace const&)> const& f, Stream stream = Stream::compute) const;
  /// Waits for all work of all devices of this process.
  void fence(std::string const& reason) const;
  /// Waits for what was launched on one of the streams of every device.
  void fence(std::string const& reason, Stream stream) const;

 private:
  struct Impl;
  explicit DeviceSet(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

using Devices = std::shared_ptr<DeviceSet const>;

}  // namespace strata
