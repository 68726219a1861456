/// What the devices found, brought to every process: the only place where host results of one process reach others.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/placement/device_set.hpp"

namespace strata {

/// [device] host arrays of one shape, zeros: those of devices that other processes hold, too, for collect() to fill in.
template <class V, class... Extents>
std::vector<V> make_host_arrays(DeviceSet const& devices, std::string const& label, Extents... extents) {
  std::vector<V> arrays;
  for (int d = 0; d < devices.size(); ++d) arrays.emplace_back(label, static_cast<std::size_t>(extents)...);
  return arrays;
}

/// The arrays of all devices, known here. Only collect() makes it, so what takes one cannot be given what a single
/// process knows. It refers to the arrays and lives no longer than they do.
template <class V>
class Collected {
 public:
  V const& operator[](int device) const { return (*arrays_)[static_cast<std::size_t>(device)]; }
  int num_devices() const { return static_cast<int>(arrays_->size()); }
  auto begin() const { return arrays_->begin(); }
  auto end() const { return arrays_->end(); }

 private:
  explicit Collected(std::vector<V> const& arrays) : arrays_(&arrays) {}
  template <class W>
  friend Collected<W> collect(DeviceSet const& devices, std::vector<W> const& arrays);

  std::vector<V> const* arrays_;
};

/// Fills in `values[device]` of devices that other processes hold. Every process calls it at the same point.
/// \throws Error when there is not one of the same size for each device.
void fill_in(DeviceSet const& devices, std::vector<std::span<std::byte>> const& values);

/// `arrays` of make_host_arrays(), to which the devices of this process have written; fence them before.
template <class V>
Collected<V> collect(DeviceSet const& devices, std::vector<V> const& arrays) {
  std::vector<std::span<std::byte>> bytes;
  for (auto const& array : arrays) bytes.push_back(std::as_writable_bytes(std::span(array.data(), array.span())));
  fill_in(devices, bytes);
  return Collected<V>(arrays);
}
template <class V>
Collected<V> collect(DeviceSet const& devices, std::vector<V>&& arrays) = delete;

/// The same of one number a device.
template <class T>
requires std::is_arithmetic_v<T> std::vector<T> collect_values(DeviceSet const& devices, std::vector<T> values) {
  std::vector<std::span<std::byte>> bytes;
  for (auto& value : values) bytes.push_back(std::as_writable_bytes(std::span(&value, 1)));
  fill_in(devices, bytes);
  return values;
}

}  // namespace strata
