# What goes under the prefix: libraries stripped of debug information, headers, the C module map for Swift, the
# pkg-config file and the CMake package. Everything finds the rest relative to itself, so a prefix may be moved.
include(CMakePackageConfigHelpers)
if(NOT CMAKE_STRIP)
  find_program(CMAKE_STRIP NAMES strip llvm-strip HINTS "${WEAKTIMER_TOOLCHAIN_BIN}")
endif()
set(_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/WeakTimer")
set(_work "${CMAKE_CURRENT_BINARY_DIR}/install")

install(TARGETS weaktimer EXPORT WeakTimerShared
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT dev)
install(TARGETS weaktimer_static EXPORT WeakTimerStatic
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)

# The unwind tables are in .debug_frame, which debuggers and profilers need to walk through the library.
function(weaktimer_strip_installed file component)
  if(NOT CMAKE_STRIP)
    return()
  endif()
  install(CODE "
    set(_file \"${file}\")
    if(NOT IS_ABSOLUTE \"\${_file}\")
      set(_file \"\${CMAKE_INSTALL_PREFIX}/\${_file}\")
    endif()
    execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded --keep-section=.debug_frame \"\$ENV{DESTDIR}\${_file}\"
      RESULT_VARIABLE _result)
    if(NOT _result EQUAL 0)
      message(FATAL_ERROR \"strip failed on \${_file}\")
    endif()" COMPONENT ${component})
endfunction()
weaktimer_strip_installed("${CMAKE_INSTALL_LIBDIR}/libweaktimer.so.${WEAKTIMER_VERSION}" runtime)
weaktimer_strip_installed("${CMAKE_INSTALL_LIBDIR}/libweaktimer.a" dev)

file(GLOB _headers CONFIGURE_DEPENDS "${WEAKTIMER_ROOT}/include/weaktimer.h" "${WEAKTIMER_ROOT}/include/weaktimer.hpp")
install(FILES ${_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)
install(FILES "${WEAKTIMER_ROOT}/cmake/module.modulemap" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/weaktimer" COMPONENT dev)
if(NOT WEAKTIMER_DEBIAN)
  install(FILES "${WEAKTIMER_ROOT}/README.md" "${WEAKTIMER_ROOT}/CHANGELOG.md" "${WEAKTIMER_ROOT}/LICENSE"
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/weaktimer" COMPONENT dev)
  # Manual pages are there when `make docs` has made them.
  install(DIRECTORY "${WEAKTIMER_ROOT}/build/docs/man/man3" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT dev OPTIONAL
    FILES_MATCHING PATTERN "*.3")
endif()

# pkg-config: the prefix is told as a way up from the folder of the file itself.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(WEAKTIMER_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(WEAKTIMER_PC_LIBDIR "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(WEAKTIMER_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  file(RELATIVE_PATH _up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" _up "${_up}")
  set(WEAKTIMER_PC_PREFIX "\${pcfiledir}/${_up}")
  set(WEAKTIMER_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(WEAKTIMER_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(WEAKTIMER_PC_PRIVATE "")
foreach(_library IN LISTS WEAKTIMER_SYSTEM_LIBRARIES)
  if(IS_ABSOLUTE "${_library}")
    string(APPEND WEAKTIMER_PC_PRIVATE " ${_library}")
  else()
    string(APPEND WEAKTIMER_PC_PRIVATE " -l${_library}")
  endif()
endforeach()
configure_file("${WEAKTIMER_ROOT}/cmake/weaktimer.pc.in" "${_work}/weaktimer.pc" @ONLY)
install(FILES "${_work}/weaktimer.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# CMake: one file of targets a component, so that either library may be removed.
install(EXPORT WeakTimerShared FILE WeakTimerSharedTargets.cmake NAMESPACE WeakTimer::
  DESTINATION "${_cmake_dir}" COMPONENT dev)
install(EXPORT WeakTimerStatic FILE WeakTimerStaticTargets.cmake NAMESPACE WeakTimer::
  DESTINATION "${_cmake_dir}" COMPONENT dev)
configure_package_config_file("${WEAKTIMER_ROOT}/cmake/WeakTimerConfig.cmake.in" "${_work}/WeakTimerConfig.cmake"
  INSTALL_DESTINATION "${_cmake_dir}" NO_SET_AND_CHECK_MACRO)
# The major version is that of the ABI, also while it is 0.
write_basic_package_version_file("${_work}/WeakTimerConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${_work}/WeakTimerConfig.cmake" "${_work}/WeakTimerConfigVersion.cmake"
  DESTINATION "${_cmake_dir}" COMPONENT dev)
