# One target a folder. A target links only what its folder may include; includes are written from the root.

# Flags of all our code. Strict floating point: results do not depend on thread or device count.
add_library(strata_flags INTERFACE)
target_compile_features(strata_flags INTERFACE cxx_std_20)
target_compile_options(strata_flags INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-Wall;-Wextra;-Wshadow;-Werror;-Wno-error=deprecated-declarations;-Wno-unknown-pragmas>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-ffp-contract=fast;-fno-math-errno;-fno-trapping-math>)
if(CMAKE_UNITY_BUILD)
  # A group of files is one file to the compiler: that a name of one hides a name of another says nothing.
  target_compile_options(strata_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: a false alarm for "text" + std::string.
  target_compile_options(strata_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(Kokkos_ENABLE_CUDA)
  # nvcc only warns where a kernel calls a host function: it would crash or hang on the device.
  target_compile_options(strata_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror=cross-execution-space-call>)
endif()
if(STRATA_ARCH)
  target_compile_options(strata_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-march=${STRATA_ARCH};-mprefer-vector-width=512>)
endif()
if(STRATA_SANITIZE)
  target_compile_options(strata_flags INTERFACE -fsanitize=${STRATA_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(strata_flags INTERFACE -fsanitize=${STRATA_SANITIZE})
endif()

# strata_add_library(NAME SOURCES ... LINKS ... [PRIVATE_LINKS ...]): a static library strata::NAME. What it links, also
# privately, must be a strata:: target or one that cmake/StrataConfig.cmake.in finds again for an installed package.
function(strata_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(strata_${name} STATIC ${ARG_SOURCES})
  add_library(strata::${name} ALIAS strata_${name})
  set_target_properties(strata_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(strata_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/strata>)
  target_compile_features(strata_${name} PUBLIC cxx_std_20)
  target_link_libraries(strata_${name} PUBLIC ${ARG_LINKS}
    PRIVATE $<BUILD_INTERFACE:strata_flags> ${ARG_PRIVATE_LINKS})
  set_property(GLOBAL APPEND PROPERTY STRATA_LIBRARIES strata_${name})
endfunction()

# strata_add_program(NAME SOURCES ... LINKS ...): a driver binary, installed.
function(strata_add_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE strata_flags ${ARG_LINKS})
  set_property(GLOBAL APPEND PROPERTY STRATA_PROGRAMS ${name})
endfunction()

# Two threads, so that races can show. Passive: tests run side by side, and a thread that spins while it waits takes the
# time of the other test.
set(STRATA_TEST_ENVIRONMENT "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive")

# What programs of a GPU build say where there is no GPU (core/placement/instances.hpp): the test is skipped.
set(STRATA_TEST_SKIP "and there is no such device")

# strata_add_test(NAME SOURCES ... LINKS ... [LABEL unit]): a GoogleTest program with unit_tests/support's main().
function(strata_add_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE strata_flags strata::test_support ${ARG_LINKS})
  target_compile_definitions(${name} PRIVATE STRATA_TEST_DATA="${PROJECT_SOURCE_DIR}/unit_tests/data")
  include(GoogleTest)
  # The launcher sets the environment of the tests and of the listing of them; gtest_discover_tests() would keep only the first
  # entry of a list given as property ENVIRONMENT.
  set_target_properties(${name} PROPERTIES CROSSCOMPILING_EMULATOR "${CMAKE_COMMAND};-E;env;${STRATA_TEST_ENVIRONMENT}")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 120)
endfunction()
