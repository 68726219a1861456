# The compiler cache, where there is one.
find_program(STRATA_CCACHE ccache)
if(STRATA_CCACHE AND CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper|hip-compiler")
  # Two scripts around a compiler. ccache takes the compiler's kind and version from the script's name and file; it has to be
  # told. CCACHE_DEPEND: files are compared by the list of headers, for one preprocessed text would be the host's or the
  # device's. CCACHE_BASEDIR: clones share the cache (device code takes minutes where host code takes seconds).
  if(CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
    set(strata_compiler_type nvcc)
  else()
    set(strata_compiler_type clang)
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_COMPILERTYPE=${strata_compiler_type} CCACHE_DEPEND=1
    "CCACHE_COMPILERCHECK=%compiler% --version" CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${STRATA_CCACHE})
elseif(STRATA_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${STRATA_CCACHE})
endif()
