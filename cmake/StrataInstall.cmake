# What `cmake --install` puts where: programs, decks, headers, libraries, and the package that find_package(Strata) reads.
# Components: programs, development.
#
# The flags of strata_flags, -march among them, stay in this build: the exported targets carry only include folders,
# C++20 and what they link. The machine code itself is as portable as STRATA_ARCH and Kokkos were chosen to be.
include(CMakePackageConfigHelpers)
set(strata_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Strata)

get_property(strata_programs GLOBAL PROPERTY STRATA_PROGRAMS)
if(strata_programs)
  install(TARGETS ${strata_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/inputs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/strata/inputs COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT programs)

# Libraries that exist for the programs alone stay at home.
get_property(strata_libraries GLOBAL PROPERTY STRATA_LIBRARIES)
foreach(library IN LISTS strata_libraries)
  get_target_property(folder ${library} SOURCE_DIR)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(folder MATCHES "^(core|geometries|prior)(/|$)")
    list(APPEND strata_exported ${library})
  endif()
endforeach()

# strata::strata: all of them.
add_library(strata_strata INTERFACE)
add_library(strata::strata ALIAS strata_strata)
set_target_properties(strata_strata PROPERTIES EXPORT_NAME strata)
target_link_libraries(strata_strata INTERFACE ${strata_exported})

install(TARGETS ${strata_exported} strata_hdf5 strata_fftw strata_fft strata_strata
  EXPORT StrataTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core ${PROJECT_SOURCE_DIR}/geometries ${PROJECT_SOURCE_DIR}/prior
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/strata COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(EXPORT StrataTargets NAMESPACE strata:: DESTINATION ${strata_package_dir} COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/StrataConfig.cmake.in
  ${PROJECT_BINARY_DIR}/StrataConfig.cmake INSTALL_DESTINATION ${strata_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/StrataConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/StrataConfig.cmake ${PROJECT_BINARY_DIR}/StrataConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindFFTW3f.cmake DESTINATION ${strata_package_dir}
  COMPONENT development)
