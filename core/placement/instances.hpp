/// The back end's devices and how an execution space instance is made on one. The only files with back-end names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/types.hpp"

namespace strata {

/// One execution space instance and what it runs on.
struct DeviceInstance {
  std::shared_ptr<void> stream;  ///< owns the stream of a GPU instance; outlives `exec`
  ExecSpace exec;
  int physical = 0;
  int threads = 1;
  std::string description;
  std::shared_ptr<void> transfer_stream = nullptr;
  ExecSpace transfer = exec;  ///< for transfers beside kernels; on the host the same instance
};

int num_physical_devices();
/// Says that there is no device for this build's back end; empty where there is one. To be asked before Kokkos starts,
/// for Kokkos would abort.
std::string missing_device();
/// Instances on the given physical devices; on the host index means nothing and the threads are shared out.
std::vector<DeviceInstance> make_instances(std::vector<int> const& physical);
bool is_host_back_end();
/// `OpenMP`, `Serial`, `CUDA` or `HIP`.
char const* back_end_name();
/// Free bytes of a physical device (of the host's memory on host back ends).
Index free_device_bytes(int physical);

}  // namespace strata
