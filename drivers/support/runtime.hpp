/// Kokkos and its threads for the length of a program.
#pragma once

#include <Kokkos_Core.hpp>

namespace strata {

/// Sees to it that OpenMP binds no threads. A binding pins the first thread of the process to one core, every device
/// worker inherits that, and several devices then share the core. OpenMP reads its variables before main(), so where
/// they ask for binding the program starts itself again without them; it then does not return.
void unbind_threads(char** argv);

/// Starts Kokkos after unbind_threads(), and ends it.
class KokkosRuntime {
 public:
  KokkosRuntime();

 private:
  Kokkos::ScopeGuard guard_;
};

}  // namespace strata
