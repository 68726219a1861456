# Everything Strata stands on. Kokkos: an installed one, else one that scripts/kokkos builds once into a cache outside
# the source tree (official release, or a copy from a Python source distribution).
set(STRATA_KOKKOS_PRESET openmp CACHE STRING "Which Kokkos scripts/kokkos builds: openmp, serial-debug, cuda, hip")

# Kokkos Kernels brings the Kokkos it was built with, so the two always belong together. Nothing of ours links it yet:
# without it all is built.
find_package(KokkosKernels QUIET)
find_package(Kokkos 4.7 QUIET)
if(NOT Kokkos_FOUND)
  message(STATUS "Kokkos not installed: scripts/kokkos builds ${STRATA_KOKKOS_PRESET} (once, into a cache)")
  execute_process(
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/kokkos ${STRATA_KOKKOS_PRESET}
    OUTPUT_VARIABLE strata_kokkos_prefix OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  find_package(Kokkos 4.7 REQUIRED PATHS ${strata_kokkos_prefix} NO_DEFAULT_PATH)
  find_package(KokkosKernels QUIET PATHS ${strata_kokkos_prefix} NO_DEFAULT_PATH)
endif()

find_package(Threads REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(FFTW3f REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)  # the report of strata_bench
find_path(STRATA_STB_INCLUDE stb/stb_image_write.h REQUIRED)

# Handles for our own CMake files. They are installed too: the imported targets behind them are found again by
# StrataConfig.cmake on the user's machine.
add_library(strata_hdf5 INTERFACE)
set_target_properties(strata_hdf5 PROPERTIES EXPORT_NAME hdf5)
target_link_libraries(strata_hdf5 INTERFACE hdf5::hdf5)

add_library(strata_fftw INTERFACE)
set_target_properties(strata_fftw PROPERTIES EXPORT_NAME fftw)
target_link_libraries(strata_fftw INTERFACE FFTW3::fftw3f)

# Transforms on the build's back end.
add_library(strata_fft INTERFACE)
set_target_properties(strata_fft PROPERTIES EXPORT_NAME fft)
if(Kokkos_ENABLE_CUDA)
  find_package(CUDAToolkit REQUIRED)
  target_link_libraries(strata_fft INTERFACE CUDA::cufft)
elseif(Kokkos_ENABLE_HIP)
  find_package(hipfft QUIET)  # without it there is no direct reconstruction
  if(hipfft_FOUND)
    target_link_libraries(strata_fft INTERFACE hip::hipfft)
  endif()
else()
  target_link_libraries(strata_fft INTERFACE strata_fftw)
endif()

if(STRATA_ENABLE_TESTS)
  find_package(GTest REQUIRED)
endif()
if(STRATA_ENABLE_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
