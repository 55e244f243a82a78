# Compiles all of Sources/WeakTimerCore, whole-module, into the one object that the libraries are linked from.
set(_root "${CMAKE_CURRENT_LIST_DIR}/..")
get_filename_component(WEAKTIMER_ROOT "${_root}" ABSOLUTE)
file(GLOB_RECURSE WEAKTIMER_CORE_SOURCES CONFIGURE_DEPENDS "${WEAKTIMER_ROOT}/Sources/WeakTimerCore/*.swift")
file(GLOB _shims CONFIGURE_DEPENDS "${WEAKTIMER_ROOT}/Sources/CPlatform/*.h" "${WEAKTIMER_ROOT}/Sources/CPlatform/*.modulemap")

set(_modulemaps "${WEAKTIMER_ROOT}/include/module.modulemap" "${WEAKTIMER_ROOT}/Sources/CPlatform/module.modulemap")
set(_work "${CMAKE_CURRENT_BINARY_DIR}/core")
set(WEAKTIMER_CORE_OBJECT "${_work}/WeakTimerCore.o")

# -g is not for the debugger alone: without it the object carries no unwind tables.
set(_swiftc_flags -wmo -O -g -parse-as-library -swift-version 6 -module-name WeakTimerCore
    -module-cache-path "${_work}/modules" -Xfrontend -function-sections)
foreach(_modulemap IN LISTS _modulemaps)
  list(APPEND _swiftc_flags -Xcc "-fmodule-map-file=${_modulemap}")
endforeach()
if(WEAKTIMER_FALLBACK)
  list(APPEND _swiftc_flags -static-stdlib)
else()
  list(APPEND _swiftc_flags -enable-experimental-feature Embedded)
endif()
foreach(_define IN LISTS WEAKTIMER_SWIFT_DEFINES)
  list(APPEND _swiftc_flags -D "${_define}")
endforeach()
if(WEAKTIMER_SWIFT_FLAGS)
  separate_arguments(_extra UNIX_COMMAND "${WEAKTIMER_SWIFT_FLAGS}")
  list(APPEND _swiftc_flags ${_extra})
endif()

# The list of sources goes through a file, rewritten when it changes, so that a removed file leaves the object too.
set(_list "${_work}/sources.txt")
# Each in quotes: the path of the clone may have spaces.
string(REPLACE ";" "\"\n\"" _lines "\"${WEAKTIMER_CORE_SOURCES}\"")
file(MAKE_DIRECTORY "${_work}")
file(GENERATE OUTPUT "${_list}" CONTENT "${_lines}\n")

add_custom_command(
  OUTPUT "${WEAKTIMER_CORE_OBJECT}"
  COMMAND "${WEAKTIMER_SWIFTC}" ${_swiftc_flags} ${WEAKTIMER_SWIFT_INSTRUMENT} -c "@${_list}" -o "${WEAKTIMER_CORE_OBJECT}"
  DEPENDS ${WEAKTIMER_CORE_SOURCES} ${_shims} ${_modulemaps} "${WEAKTIMER_ROOT}/include/weaktimer.h" "${_list}"
  WORKING_DIRECTORY "${_work}"
  COMMENT "Compiling the core (Swift)"
  VERBATIM)
add_custom_target(weaktimer_core DEPENDS "${WEAKTIMER_CORE_OBJECT}")
