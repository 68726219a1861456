#include "core/placement/collect.hpp"

#include "core/base/error.hpp"

namespace strata {

void fill_in(DeviceSet const& devices, std::vector<std::span<std::byte>> const& values) {
  ensure(static_cast<int>(values.size()) == devices.size(), "collect: expected values of ", devices.size(),
         " devices, found ", values.size());
  for (auto const& value : values)
    ensure(value.size() == values.front().size(), "collect: expected as much from every device, found ", value.size(),
           " and ", values.front().size(), " bytes");
  // One process holds all devices: nothing to fill in. Several gather here, in the order of the devices.
  ensure(static_cast<int>(devices.local().size()) == devices.size(), "collect: this process holds ",
         devices.local().size(), " of ", devices.size(), " devices, and there is no exchange between processes");
}

}  // namespace strata
