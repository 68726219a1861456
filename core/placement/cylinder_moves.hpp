/// Kernels that move whole cylinders between volumes and compact arrays of some of their pixels, lane by lane, padding
/// included. A list says where in the volume an entry is; an empty one: entry e is at e.
#pragma once

#include "core/placement/band_buffer.hpp"

namespace strata {

/// values[block][entry][lane] = volume[block][pixels(entry)][lane].
void gather_cylinders(ExecSpace const& exec, ConstCylinders const& volume, Array1<int const> const& pixels,
                      Cylinders const& values);

/// volume[block][pixels(entry)][lane] = values[block][entry][lane].
void scatter_cylinders(ExecSpace const& exec, ConstCylinders const& values, Array1<int const> const& pixels,
                       Cylinders const& volume);

/// volume[block][pixels(entry)][lane] = value for the listed pixels.
void fill_cylinders(ExecSpace const& exec, Array1<int const> const& pixels, Real value, Cylinders const& volume);

}  // namespace strata
