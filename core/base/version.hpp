/// What this build is: goes into every output file and into `--version`.
#pragma once

#include <string>

namespace strata {

/// Version of Strata, for example `0.1.0`.
std::string version();
/// Abbreviated commit of the source tree at build time, with `-dirty` when it held changes that were not committed;
/// `unknown` outside a git clone.
std::string git_hash();
/// Version of Kokkos that this build was compiled with, for example `4.7.0`.
std::string kokkos_version();
/// Name of the execution space of this build: `OpenMP`, `Serial`, `Cuda`, `HIP`.
std::string backend_name();

}  // namespace strata
