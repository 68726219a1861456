#include "core/base/version.hpp"

#include "core/base/text.hpp"
#include "core/base/types.hpp"
#include "core/base/version_config.hpp"

namespace strata {

std::string version() {
  return STRATA_VERSION;
}

std::string git_hash() {
  return STRATA_GIT_HASH;
}

std::string kokkos_version() {
  return text(KOKKOS_VERSION_MAJOR, '.', KOKKOS_VERSION_MINOR, '.', KOKKOS_VERSION_PATCH);
}

std::string backend_name() {
  return ExecSpace::name();
}

}  // namespace strata
