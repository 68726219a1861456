# Sourced by scripts/kokkos for preset hip: Debian's clang 16 with its ROCm 5.2 runtime.
#
# STRATA_HIP_ARCH: the architecture by Kokkos' name, default AMD_GFX90A (also AMD_GFX908, AMD_GFX1030).
# shellcheck shell=bash disable=SC2154
"$here/install_packages" clang-16 clang-tools-16 lld-16 libclang-rt-16-dev libamdhip64-dev rocm-device-libs

# Nothing instantiated in advance: what we call is compiled from the headers.
instantiations=(-DKokkosKernels_INST_EXECSPACE_HIP=OFF -DKokkosKernels_INST_MEMSPACE_HIPSPACE=OFF)
options+=(-DKokkos_ENABLE_HIP=ON -DKokkos_ENABLE_ROCTHRUST=OFF "-DKokkos_ARCH_${STRATA_HIP_ARCH:-AMD_GFX90A}=ON")
# For Kokkos Kernels too. No ccache: the wrapper is not a compiler that it knows.
common+=("-DCMAKE_CXX_COMPILER=$here/hip-compiler" -DCMAKE_CXX_COMPILER_LAUNCHER=)
