# SPDX-License-Identifier: MIT
# A Debian package of all that is installed, by CPack: ./dev package, or the target package of the preset package, whose
# prefix is /usr. DEBFULLNAME and DEBEMAIL say whose it is, SOURCE_DATE_EPOCH of when.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME whichgpu)
set(CPACK_PACKAGE_VENDOR "The whichgpu authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells which GPU backend to use on a machine")
set(CPACK_PACKAGE_DESCRIPTION "whichgpu finds every device through every runtime, measures all of them
with the same kernels, checks every result, and says what it would use,
and which build of a program to install for that. It needs no SDK and no
runtime of a GPU.
.
With the program come libwhichgpu, which answers other programs, and its
header.")
set(name "$ENV{DEBFULLNAME}")
set(address "$ENV{DEBEMAIL}")
if(NOT name)
  set(name "The whichgpu authors")
endif()
if(NOT address)
  set(address "authors@whichgpu.invalid")
endif()
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${name} <${address}>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Loaders without which their runtimes are not there; it says so where a GPU would want one.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libvulkan1, ocl-icd-libopencl1 | libopencl1")
# Not by CPack, which would write maintainer scripts that call ldconfig, where Debian has a trigger: see debian.cmake.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
file(WRITE "${PROJECT_BINARY_DIR}/control/shlibs" "libwhichgpu 0 whichgpu (>= ${PROJECT_VERSION})\n")
file(WRITE "${PROJECT_BINARY_DIR}/control/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/control/shlibs" "${PROJECT_BINARY_DIR}/control/triggers")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian.cmake")
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
