#include "core/base/error.hpp"
#include "core/placement/instances.hpp"

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime.h>
#define STRATA_GPU(name) cuda##name
using DeviceProperties = cudaDeviceProp;
#else
#include <hip/hip_runtime.h>
#define STRATA_GPU(name) hip##name
using DeviceProperties = hipDeviceProp_t;
#endif

namespace strata {
namespace {

void check(STRATA_GPU(Error_t) status, char const* what) {
  if (status != STRATA_GPU(Success)) throw Error(text(what, ": ", STRATA_GPU(GetErrorString)(status)));
}

/// Lets kernels and copies of every device reach the memory of every other one where the hardware can.
void enable_peer_access(std::vector<int> const& physical) {
  for (int const a : physical)
    for (int const b : physical) {
      int possible = 0;
      if (a == b || STRATA_GPU(DeviceCanAccessPeer)(&possible, a, b) != STRATA_GPU(Success) || !possible) continue;
      check(STRATA_GPU(SetDevice)(a), "selecting a device");
      auto const status = STRATA_GPU(DeviceEnablePeerAccess)(b, 0);
      if (status == STRATA_GPU(ErrorPeerAccessAlreadyEnabled))
        (void)STRATA_GPU(GetLastError)();
      else
        check(status, "enabling peer access");
    }
}

/// A stream of the selected device and its owner.
std::shared_ptr<void> make_stream() {
  STRATA_GPU(Stream_t) stream;
  check(STRATA_GPU(StreamCreate)(&stream), "making a stream");
  return {stream, [](void* s) { (void)STRATA_GPU(StreamDestroy)(static_cast<STRATA_GPU(Stream_t)>(s)); }};
}

ExecSpace exec_on(std::shared_ptr<void> const& stream) {
  return ExecSpace(static_cast<STRATA_GPU(Stream_t)>(stream.get()));
}

}  // namespace

int num_physical_devices() {
  int count = 0;
  return STRATA_GPU(GetDeviceCount)(&count) == STRATA_GPU(Success) ? count : 0;
}

bool is_host_back_end() {
  return false;
}

char const* back_end_name() {
#ifdef KOKKOS_ENABLE_CUDA
  return "CUDA";
#else
  return "HIP";
#endif
}

std::vector<DeviceInstance> make_instances(std::vector<int> const& physical) {
  enable_peer_access(physical);
  std::vector<DeviceInstance> instances;
  for (int const device : physical) {
    check(STRATA_GPU(SetDevice)(device), "selecting a device");
    DeviceProperties properties;
    check(STRATA_GPU(GetDeviceProperties)(&properties, device), "asking for properties");
    auto const compute = make_stream(), transfer = make_stream();
    instances.push_back(
        {compute, exec_on(compute), device, 1,
         text(back_end_name(), " ", device, ": ", properties.name, ", ", properties.totalGlobalMem >> 20, " MiB"),
         transfer, exec_on(transfer)});
  }
  return instances;
}

Index free_device_bytes(int physical) {
  size_t free = 0;
  size_t total = 0;
  check(STRATA_GPU(SetDevice)(physical), "selecting a device");
  check(STRATA_GPU(MemGetInfo)(&free, &total), "asking for free memory");
  return static_cast<Index>(free);
}

}  // namespace strata

#endif
