# Licensed under the Apache License, Version 2.0.
#
# Finds the compiler of the language ASC: what the variable ASC of the environment names, or the twin's.
if(NOT CMAKE_ASC_COMPILER)
  if(NOT "$ENV{ASC}" STREQUAL "")
    set(CMAKE_ASC_COMPILER "$ENV{ASC}" CACHE FILEPATH "ASC compiler")
  else()
    find_program(CMAKE_ASC_COMPILER NAMES skcore-asc HINTS "${CMAKE_CURRENT_LIST_DIR}" DOC "ASC compiler")
  endif()
endif()
if(NOT CMAKE_ASC_COMPILER)
  message(FATAL_ERROR "no compiler of Ascend C: set CMAKE_PREFIX_PATH to what 'skcore twin cmake-dir' prints")
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)

set(CMAKE_ASC_COMPILER_ENV_VAR "ASC")
if(NOT CMAKE_ASC_SOURCE_FILE_EXTENSIONS)
  set(CMAKE_ASC_SOURCE_FILE_EXTENSIONS asc)
endif()

include(CMakeFindBinUtils)

configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in"
               "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
