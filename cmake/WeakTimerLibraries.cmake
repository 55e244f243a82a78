# The shared and the static library. Both export wtm_* and nothing else.
include(CheckCSourceCompiles)
include(CheckSymbolExists)
if(NOT CMAKE_OBJCOPY)
  find_program(CMAKE_OBJCOPY NAMES objcopy llvm-objcopy HINTS "${WEAKTIMER_TOOLCHAIN_BIN}")
endif()
if(NOT CMAKE_OBJCOPY)
  message(FATAL_ERROR "objcopy was not found")
endif()

# Before glibc 2.34 threads had a library of their own.
check_symbol_exists(pthread_create "pthread.h" WEAKTIMER_LIBC_HAS_THREADS)
set(WEAKTIMER_SYSTEM_LIBRARIES "")
if(NOT WEAKTIMER_LIBC_HAS_THREADS)
  list(APPEND WEAKTIMER_SYSTEM_LIBRARIES pthread)
endif()
set(WEAKTIMER_RUNTIME_OBJECTS "")
if(WEAKTIMER_FALLBACK)
  include(WeakTimerFallback)
endif()

# The runtime's own weak symbols stay inside, so that two libraries written in Swift can share a program.
set(_local_object "${CMAKE_CURRENT_BINARY_DIR}/core/WeakTimerCoreLocal.o")
add_custom_command(
  OUTPUT "${_local_object}"
  COMMAND "${CMAKE_OBJCOPY}" --wildcard "--keep-global-symbol=wtm_*" "${WEAKTIMER_CORE_OBJECT}" "${_local_object}"
  DEPENDS "${WEAKTIMER_CORE_OBJECT}"
  COMMENT "Localising the core's inner symbols"
  VERBATIM)
add_custom_target(weaktimer_core_local DEPENDS "${_local_object}")
add_dependencies(weaktimer_core_local weaktimer_core)
set_source_files_properties("${WEAKTIMER_CORE_OBJECT}" "${_local_object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)

add_library(weaktimer SHARED "${WEAKTIMER_CORE_OBJECT}" ${WEAKTIMER_RUNTIME_OBJECTS})
add_dependencies(weaktimer weaktimer_core)
add_library(weaktimer_static STATIC "${_local_object}" ${WEAKTIMER_RUNTIME_OBJECTS})
add_dependencies(weaktimer_static weaktimer_core_local)

foreach(_target weaktimer weaktimer_static)
  add_library(WeakTimer::${_target} ALIAS ${_target})
  set_target_properties(${_target} PROPERTIES
    OUTPUT_NAME weaktimer
    LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  target_include_directories(${_target} INTERFACE
    "$<BUILD_INTERFACE:${WEAKTIMER_ROOT}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
set_target_properties(weaktimer PROPERTIES VERSION "${WEAKTIMER_VERSION}" SOVERSION "${WEAKTIMER_VERSION_MAJOR}")
target_link_libraries(weaktimer PRIVATE ${WEAKTIMER_SYSTEM_LIBRARIES})
target_link_libraries(weaktimer_static INTERFACE ${WEAKTIMER_SYSTEM_LIBRARIES})

set(_script "${WEAKTIMER_ROOT}/cmake/weaktimer.map")
set_property(TARGET weaktimer APPEND PROPERTY LINK_DEPENDS "${_script}")
target_link_options(weaktimer PRIVATE
  "LINKER:--version-script=${_script}" "LINKER:-z,relro" "LINKER:-z,now" "LINKER:-z,nodelete" "LINKER:--gc-sections")
# Code, constants and unwinding tables share their pages: two pages less in the file, and in memory, than one segment for each.
set(CMAKE_REQUIRED_LINK_OPTIONS "LINKER:-z,noseparate-code")
check_c_source_compiles("int main(void) { return 0; }" WEAKTIMER_LINKER_SHARES_PAGES)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(WEAKTIMER_LINKER_SHARES_PAGES)
  target_link_options(weaktimer PRIVATE "LINKER:-z,noseparate-code")
endif()
if(NOT WEAKTIMER_INSTRUMENTED)
  # An instrumented library takes its sanitizer's symbols from the program.
  target_link_options(weaktimer PRIVATE "LINKER:-z,defs")
endif()
