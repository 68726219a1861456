/// Scalar types, the execution space of this build, and every View alias. Layouts are spelled out: Kokkos' default
/// differs between back ends.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace strata {

using Real = float;
using Index = std::int64_t;  ///< flattened sizes; one axis is an int

using ExecSpace = Kokkos::DefaultExecutionSpace;
using Device = ExecSpace::device_type;

template <class T>
using Array1 = Kokkos::View<T*, Kokkos::LayoutRight, Device>;
template <class T>
using Array2 = Kokkos::View<T**, Kokkos::LayoutRight, Device>;
template <class T>
using Array3 = Kokkos::View<T***, Kokkos::LayoutRight, Device>;
template <class T>
using Array4 = Kokkos::View<T****, Kokkos::LayoutRight, Device>;

/// Voxel cylinders [block][pixel][lane], 1/ALU. A block holds up to `lane` consecutive slices of every pixel.
using Cylinders = Array3<Real>;
using ConstCylinders = Array3<Real const>;

/// Line integrals [view][row_block][channel][lane]: the slice-like detector row axis is innermost. A row block holds up
/// to `lane` consecutive detector rows.
using Sinogram = Array4<Real>;
using ConstSinogram = Array4<Real const>;

/// Half-open range of one axis.
struct Range {
  int begin = 0;
  int end = 0;
  KOKKOS_FUNCTION constexpr int size() const { return end - begin; }
  KOKKOS_FUNCTION constexpr bool empty() const { return end <= begin; }
  friend constexpr bool operator==(Range, Range) = default;
};

}  // namespace strata
