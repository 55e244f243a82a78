# The core as normal Swift, for toolchains or targets without Embedded Swift: the runtime comes along, linked in
# statically. The static library then needs the toolchain's own archives when a program is linked.
set(_static "${WEAKTIMER_TOOLCHAIN_LIB}/swift_static/linux")
set(_start "${_static}/${CMAKE_SYSTEM_PROCESSOR}/swiftrt.o")
if(NOT EXISTS "${_start}")
  message(FATAL_ERROR "WEAKTIMER_FALLBACK needs the toolchain's static runtime, but ${_start} is missing")
endif()
set(WEAKTIMER_RUNTIME_OBJECTS "${_start}")
set_source_files_properties("${_start}" PROPERTIES EXTERNAL_OBJECT TRUE)
list(APPEND WEAKTIMER_SYSTEM_LIBRARIES
  "${_static}/libswiftSynchronization.a" "${_static}/libswiftCore.a" stdc++ m)
