# Licensed under the Apache License, Version 2.0.
#
# find_package(ASC), before project(): makes the language ASC known, whose compiler here is that of the twin.
if(_SKCORE_ASC_LOADED)
  return()
endif()
set(_SKCORE_ASC_LOADED TRUE)

set(CMAKE_ASC_RUN_MODE "npu" CACHE STRING "npu, cpu or sim; all of them run on the twin")
if(NOT CMAKE_ASC_RUN_MODE MATCHES "^(npu|cpu|sim)$")
  message(FATAL_ERROR "CMAKE_ASC_RUN_MODE is '${CMAKE_ASC_RUN_MODE}'; it can be npu, cpu or sim")
endif()

list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
# Sources in C++ beside those in Ascend C include acl/acl.h and others too.
include("${CMAKE_CURRENT_LIST_DIR}/skcore-paths.cmake")
include_directories(SYSTEM "${SKCORE_TWIN_INCLUDE}")
add_compile_definitions(SKTWIN_PLATFORM_OF_RUNTIME)
# Empty libraries of the names that projects link.
link_directories("${CMAKE_CURRENT_LIST_DIR}/lib")

# A library of kernels, whatever the ending of its sources.
function(ascendc_library target)
  set(sources ${ARGN})
  list(FILTER sources EXCLUDE REGEX "^(SHARED|STATIC|OBJECT|MODULE)$")
  set_source_files_properties(${sources} PROPERTIES LANGUAGE ASC)
  add_library(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ASC POSITION_INDEPENDENT_CODE ON)
endfunction()

function(ascendc_compile_definitions target scope)
  target_compile_definitions(${target} ${scope} ${ARGN})
endfunction()

function(ascendc_compile_options target scope)
  set(options ${ARGN})
  list(REMOVE_ITEM options -forward-options-to-host-compiler)
  target_compile_options(${target} ${scope} ${options})
endfunction()

function(ascendc_include_directories target scope)
  target_include_directories(${target} ${scope} ${ARGN})
endfunction()
