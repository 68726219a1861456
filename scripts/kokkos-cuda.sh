# Sourced by scripts/kokkos for preset cuda: options of Kokkos, and what 4.7.0 needs for CUDA 13.
#
# STRATA_CUDA_ARCH: the architecture by Kokkos' name, default HOPPER90.
# shellcheck shell=bash disable=SC2154
command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { say "nvcc not found; install the CUDA toolkit or put its bin folder into PATH"; exit 1; }

# The wrapper asks for an architecture that CUDA 13 has dropped whenever none is given (CMake's compiler checks).
sed -i 's/^default_arch=.*/default_arch="sm_90"/' "$cache/src/kokkos/bin/nvcc_wrapper"
if [ "$(nvcc --version | sed -n 's/.*release \([0-9]*\).*/\1/p')" -ge 13 ]; then
  # Two functions got other parameters in CUDA 13.
  patched=$cache/src/kokkos/core/src/Cuda/Kokkos_Cuda_Instance.hpp
  sed -i -e 's/cudaGraphAddDependencies(graph, from, to, numDependencies)/cudaGraphAddDependencies(graph, from, to, nullptr, numDependencies)/' \
    -e 's/cudaMemPrefetchAsync(devPtr, count, dstDevice, m_stream)/cudaMemPrefetchAsync(devPtr, count, cudaMemLocation{cudaMemLocationTypeDevice, dstDevice}, 0, m_stream)/' \
    "$patched"
  [ "$(grep -cE 'to, nullptr, numDependencies|cudaMemLocation\{' "$patched")" = 2 ] \
    || { say "$patched: not the text that the CUDA 13 change expects"; exit 1; }
fi

# Nothing instantiated in advance, which nvcc would need most of an hour for: what we call is compiled from the headers.
instantiations=(-DKokkosKernels_INST_EXECSPACE_CUDA=OFF -DKokkosKernels_INST_MEMSPACE_CUDASPACE=OFF
                -DKokkosKernels_ENABLE_TPL_CUBLAS=OFF -DKokkosKernels_ENABLE_TPL_CUSPARSE=OFF
                -DKokkosKernels_ENABLE_TPL_CUSOLVER=OFF)
options+=(-DKokkos_ENABLE_CUDA=ON "-DKokkos_ARCH_${STRATA_CUDA_ARCH:-HOPPER90}=ON")
# For Kokkos Kernels too. No ccache: the wrapper is not a compiler that it knows.
common+=("-DCMAKE_CXX_COMPILER=$cache/src/kokkos/bin/nvcc_wrapper" -DCMAKE_CXX_COMPILER_LAUNCHER=)
