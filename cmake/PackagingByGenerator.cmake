# Read by cpack once it knows which kind of package it makes.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX "/")
endif()
