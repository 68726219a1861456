#include "core/placement/device_set.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/placement/instances.hpp"
#include "core/placement/worker.hpp"

namespace strata {

struct DeviceSet::Impl {
  std::vector<DeviceInstance> devices;
  std::vector<int> local;
  bool share_memory = is_host_back_end();
  ExchangeForm exchange = ExchangeForm::automatic;
  std::string reason;                            // why not all devices were taken, if so
  std::vector<std::unique_ptr<Worker>> workers;  // none for a single device: the caller does the work
};

DeviceSet::DeviceSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  impl_->local.resize(impl_->devices.size());
  std::iota(impl_->local.begin(), impl_->local.end(), 0);
  impl_->workers.resize(size() > 1 ? impl_->devices.size() : 0);
  for (auto& worker : impl_->workers) worker = std::make_unique<Worker>();
}

DeviceSet::~DeviceSet() = default;

Devices DeviceSet::create(DeviceRequest const& request) {
  std::vector<int> indices;
  switch (request.kind) {
    case DeviceRequest::Kind::automatic:
      for (int i = 0; i < num_physical_devices(); ++i) indices.push_back(i);
      break;
    case DeviceRequest::Kind::count:
      require(request.count >= 1, "devices.use: expected at least one device, got ", request.count);
      return virtual_devices(request.count, Memories::of_the_machine, request.exchange);
    case DeviceRequest::Kind::indices:
      require(!request.indices.empty(), "devices.use: the list of devices is empty");
      indices = request.indices;
      for (int const index : indices)
        require(index >= 0 && index < num_physical_devices(), "devices.use: expected device indices from 0 to ",
                num_physical_devices() - 1, ", got ", index);
      break;
    case DeviceRequest::Kind::host:
      require(is_host_back_end(), "devices.use: none asks for the host, but this build has only ", back_end_name(),
              "; use a build of preset openmp");
      indices = {0};
      break;
  }
  auto impl = std::make_unique<Impl>();
  impl->devices = make_instances(indices);
  impl->exchange = request.exchange;
  return Devices(new DeviceSet(std::move(impl)));
}

Devices DeviceSet::create(DeviceRequest const& request, DeviceWork const& work) {
  if (request.kind != DeviceRequest::Kind::automatic || num_physical_devices() < 2) return create(request);
  std::vector<Index> free;
  for (int i = 0; i < num_physical_devices(); ++i) free.push_back(free_device_bytes(i));
  DeviceChoice const choice = choose_devices(free, work);
  std::vector<int> indices(choice.count);
  std::iota(indices.begin(), indices.end(), 0);
  auto impl = std::make_unique<Impl>();
  impl->devices = make_instances(indices);
  impl->exchange = request.exchange;
  impl->reason = choice.reason;
  return Devices(new DeviceSet(std::move(impl)));
}

Devices DeviceSet::virtual_devices(int n, Memories memories, ExchangeForm exchange) {
  ensure(n >= 1, "DeviceSet: asked for ", n, " devices");
  std::vector<int> indices(n);
  for (int d = 0; d < n; ++d) indices[d] = d % num_physical_devices();
  auto impl = std::make_unique<Impl>();
  impl->devices = make_instances(indices);
  impl->share_memory = impl->share_memory && memories == Memories::of_the_machine;
  impl->exchange = exchange;
  return Devices(new DeviceSet(std::move(impl)));
}

int DeviceSet::size() const {
  return static_cast<int>(impl_->devices.size());
}

std::vector<int> const& DeviceSet::local() const {
  return impl_->local;
}

bool DeviceSet::share_memory() const {
  return impl_->share_memory;
}

ExchangeForm DeviceSet::exchange() const {
  return impl_->exchange;
}

ExecSpace const& DeviceSet::exec(int device, Stream stream) const {
  DeviceInstance const& instance = impl_->devices[device];
  return stream == Stream::compute ? instance.exec : instance.transfer;
}

std::string DeviceSet::summary() const {
  std::string const why = impl_->reason.empty() ? "" : ", " + impl_->reason;
  if (size() > 1) return text(size(), " x ", back_end_name(), " (sharded)", why);
  int const threads = impl_->devices[0].threads;
  if (!is_host_back_end()) return text("1 x ", back_end_name(), why);
  return text("1 x ", back_end_name(), " (", threads, threads == 1 ? " thread)" : " threads)");
}

std::vector<std::string> DeviceSet::descriptions() const {
  std::vector<std::string> lines;
  for (auto const& device : impl_->devices) lines.push_back(device.description);
  return lines;
}

Index DeviceSet::free_bytes(int device) const {
  Index const free = free_device_bytes(impl_->devices[device].physical);
  auto const sharing = std::count_if(impl_->devices.begin(), impl_->devices.end(), [&](DeviceInstance const& other) {
    return other.physical == impl_->devices[device].physical;
  });
  return free / sharing;
}

void DeviceSet::for_each(std::function<void(int, ExecSpace const&)> const& f, Stream stream) const {
  if (impl_->workers.empty()) {
    int const d = local().front();
    f(d, exec(d, stream));
    return;
  }
  for (int const d : local()) impl_->workers[d]->start([&f, d, stream, this] { f(d, exec(d, stream)); });
  std::exception_ptr failure;
  for (auto const& worker : impl_->workers) {
    try {
      worker->wait();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void DeviceSet::fence(std::string const& reason) const {
  fence(reason, Stream::compute);
  if (!is_host_back_end()) fence(reason, Stream::transfer);
}

void DeviceSet::fence(std::string const& reason, Stream stream) const {
  for (int const d : local()) exec(d, stream).fence("strata::" + reason);
}

}  // namespace strata
