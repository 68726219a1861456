# Single-precision FFTW as FFTW3::fftw3f. (The package file that Debian ships for it names a file that it lacks.)
find_path(FFTW3f_INCLUDE_DIR fftw3.h)
find_library(FFTW3f_LIBRARY fftw3f)
mark_as_advanced(FFTW3f_INCLUDE_DIR FFTW3f_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW3f REQUIRED_VARS FFTW3f_LIBRARY FFTW3f_INCLUDE_DIR)

if(FFTW3f_FOUND AND NOT TARGET FFTW3::fftw3f)
  add_library(FFTW3::fftw3f UNKNOWN IMPORTED)
  set_target_properties(FFTW3::fftw3f PROPERTIES
    IMPORTED_LOCATION ${FFTW3f_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${FFTW3f_INCLUDE_DIR})
endif()
