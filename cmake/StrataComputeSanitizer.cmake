# Target compute_sanitizer: the unit tests under NVIDIA's checker, for memory, races in shared memory, barriers and values
# never written. Slow: a test takes ten to a hundred times as long. Needs a GPU.
find_program(STRATA_COMPUTE_SANITIZER compute-sanitizer HINTS ${CUDAToolkit_BIN_DIR})
set(STRATA_SANITIZED_TOOLS memcheck racecheck synccheck initcheck CACHE STRING "Tools of target compute_sanitizer")
set(STRATA_SANITIZED_TESTS test_placement test_geometries test_separable test_prior test_tomography_model test_vcd_descent
    CACHE STRING "Programs of target compute_sanitizer: those with kernels, on small scans")
if(NOT STRATA_COMPUTE_SANITIZER)
  message(STATUS "compute-sanitizer not found: no target of that name")
  return()
endif()
set(commands)
foreach(test IN LISTS STRATA_SANITIZED_TESTS)
  foreach(tool IN LISTS STRATA_SANITIZED_TOOLS)
    list(APPEND commands COMMAND ${STRATA_COMPUTE_SANITIZER} --tool ${tool} --error-exitcode 1 $<TARGET_FILE:${test}>)
  endforeach()
endforeach()
add_custom_target(compute_sanitizer ${commands} DEPENDS ${STRATA_SANITIZED_TESTS} USES_TERMINAL VERBATIM
  COMMENT "Unit tests under compute-sanitizer")
