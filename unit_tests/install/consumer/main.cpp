// A project that uses an installed Strata: something of every layer, so that every library behind it is linked.
#include <Kokkos_Core.hpp>
#include <iostream>

#include "core/base/version.hpp"
#include "core/io/deck.hpp"
#include "core/io/hdf5_writer.hpp"
#include "core/placement/instances.hpp"
#include "core/placement/placement.hpp"
#include "geometries/registry.hpp"

int main(int argc, char** argv) {
  if (auto const missing = strata::missing_device(); !missing.empty()) {
    std::cerr << missing << '\n';
    return 1;
  }
  Kokkos::ScopeGuard const guard(argc, argv);
  auto const placement = strata::Placement::of_slices(strata::DeviceSet::virtual_devices(2), 11);

  auto const deck = strata::Deck::parse("sizes: [3, 4]\n");
  auto const sizes = deck.root().require<std::vector<int>>("sizes");
  strata::AtomicHdf5Writer writer("consumer.h5");
  writer.write<int>("/sizes", {2}, sizes);
  writer.commit();

  std::cout << "Strata " << strata::version() << ": " << placement.padded_size() << " slices with padding, "
            << strata::Hdf5File("consumer.h5").read<int>("/sizes").size() << " sizes, "
            << strata::geometry_names().size() << " geometries\n";
}
