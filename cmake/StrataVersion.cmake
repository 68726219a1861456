# The git hash and the version, in one generated header that core/base/version.cpp alone includes: a new commit
# recompiles that file and nothing else.
set(strata_generated ${PROJECT_BINARY_DIR}/generated)
set(strata_write_version ${CMAKE_COMMAND}
  -DSTRATA_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DSTRATA_VERSION=${PROJECT_VERSION}
  -DSTRATA_HEADER=${strata_generated}/core/base/version_config.hpp
  -P ${PROJECT_SOURCE_DIR}/cmake/WriteVersion.cmake)
add_custom_target(strata_version ALL
  COMMAND ${strata_write_version}
  BYPRODUCTS ${strata_generated}/core/base/version_config.hpp
  COMMENT "Reading the git hash" VERBATIM)
target_include_directories(strata_base PRIVATE ${strata_generated})
add_dependencies(strata_base strata_version)
