#include "core/placement/cylinder_moves.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

FlatPolicy entries_of(ExecSpace const& exec, int blocks, int entries) {
  return FlatPolicy(exec, 0, Index(blocks) * entries);
}

}  // namespace

void gather_cylinders(ExecSpace const& exec, ConstCylinders const& volume, Array1<int const> const& pixels,
                      Cylinders const& values) {
  int const entries = values.extent_int(1);
  bool const listed = pixels.extent(0) > 0;
  int const lanes = volume.extent_int(2);
  Kokkos::parallel_for(
      "strata::gather_cylinders", entries_of(exec, volume.extent_int(0), entries), KOKKOS_LAMBDA(Index item) {
        int const entry = static_cast<int>(item % entries);
        int const block = static_cast<int>(item / entries);
        int const pixel = listed ? pixels(entry) : entry;
        for (int lane = 0; lane < lanes; ++lane) values(block, entry, lane) = volume(block, pixel, lane);
      });
}

void scatter_cylinders(ExecSpace const& exec, ConstCylinders const& values, Array1<int const> const& pixels,
                       Cylinders const& volume) {
  int const entries = values.extent_int(1);
  bool const listed = pixels.extent(0) > 0;
  int const lanes = volume.extent_int(2);
  Kokkos::parallel_for(
      "strata::scatter_cylinders", entries_of(exec, volume.extent_int(0), entries), KOKKOS_LAMBDA(Index item) {
        int const entry = static_cast<int>(item % entries);
        int const block = static_cast<int>(item / entries);
        int const pixel = listed ? pixels(entry) : entry;
        for (int lane = 0; lane < lanes; ++lane) volume(block, pixel, lane) = values(block, entry, lane);
      });
}

void fill_cylinders(ExecSpace const& exec, Array1<int const> const& pixels, Real value, Cylinders const& volume) {
  int const entries = pixels.extent_int(0);
  int const lanes = volume.extent_int(2);
  Kokkos::parallel_for(
      "strata::fill_cylinders", entries_of(exec, volume.extent_int(0), entries), KOKKOS_LAMBDA(Index item) {
        int const entry = static_cast<int>(item % entries);
        int const block = static_cast<int>(item / entries);
        for (int lane = 0; lane < lanes; ++lane) volume(block, pixels(entry), lane) = value;
      });
}

}  // namespace strata
