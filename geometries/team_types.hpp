/// What kernels of teams are written with.
#pragma once

#include "core/base/types.hpp"

namespace strata::team_types {

using Policy = Kokkos::TeamPolicy<ExecSpace>;
using Team = Policy::member_type;
/// In the memory that a team shares.
template <class T>
using ScratchArray = Kokkos::View<T*, ExecSpace::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace strata::team_types
