#include "core/placement/cylinder_moves.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

FlatPolicy entries_of(ExecSpace const& exec, int blocks, int entries) {
  return FlatPolicy(exec, 0, Index(blocks) * entries);
}

/// What one work item of entries_of() moves.
struct Place {
  int block, entry, pixel;
};

/// `pixels`: of the entries; empty: each is its own pixel.
KOKKOS_INLINE_FUNCTION Place place_of(Index item, int entries, Array1<int const> const& pixels) {
  int const entry = static_cast<int>(item % entries);
  return {static_cast<int>(item / entries), entry, pixels.extent(0) > 0 ? pixels(entry) : entry};
}

}  // namespace

void gather_cylinders(ExecSpace const& exec, ConstCylinders const& volume, Array1<int const> const& pixels,
                      Cylinders const& values) {
  int const entries = values.extent_int(1);
  int const lanes = volume.extent_int(2);
  Kokkos::parallel_for(
      "strata::gather_cylinders", entries_of(exec, volume.extent_int(0), entries), KOKKOS_LAMBDA(Index item) {
        Place const at = place_of(item, entries, pixels);
        for (int lane = 0; lane < lanes; ++lane) values(at.block, at.entry, lane) = volume(at.block, at.pixel, lane);
      });
}

void scatter_cylinders(ExecSpace const& exec, ConstCylinders const& values, Array1<int const> const& pixels,
                       Cylinders const& volume) {
  int const entries = values.extent_int(1);
  int const lanes = volume.extent_int(2);
  Kokkos::parallel_for(
      "strata::scatter_cylinders", entries_of(exec, volume.extent_int(0), entries), KOKKOS_LAMBDA(Index item) {
        Place const at = place_of(item, entries, pixels);
        for (int lane = 0; lane < lanes; ++lane) volume(at.block, at.pixel, lane) = values(at.block, at.entry, lane);
      });
}

void fill_cylinders(ExecSpace const& exec, Array1<int const> const& pixels, Real value, Cylinders const& volume) {
  int const entries = pixels.extent_int(0);
  int const lanes = volume.extent_int(2);
  Kokkos::parallel_for(
      "strata::fill_cylinders", entries_of(exec, volume.extent_int(0), entries), KOKKOS_LAMBDA(Index item) {
        Place const at = place_of(item, entries, pixels);
        for (int lane = 0; lane < lanes; ++lane) volume(at.block, at.pixel, lane) = value;
      });
}

}  // namespace strata
