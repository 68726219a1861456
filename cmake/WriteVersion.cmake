# Run at build time (cmake -P) by cmake/StrataVersion.cmake. configure_file leaves an unchanged header alone.
# --no-optional-locks: a build must not hold up a commit that is being made beside it.
execute_process(
  COMMAND git --no-optional-locks describe --always --dirty --abbrev=10 --exclude=*
  WORKING_DIRECTORY ${STRATA_SOURCE_DIR}
  OUTPUT_VARIABLE STRATA_GIT_HASH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT STRATA_GIT_HASH)
  set(STRATA_GIT_HASH unknown)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/../core/base/version_config.hpp.in ${STRATA_HEADER} @ONLY)
