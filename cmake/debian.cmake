# SPDX-License-Identifier: MIT
# What Debian wants of a package beside what cmake --install brings, done to the tree that CPack packs
# (CPACK_PRE_BUILD_SCRIPTS): documents under its names, texts compressed, nothing of the time of the build.
set(share "${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/share")
set(documents "${share}/doc/whichgpu")

# The licence of the program and those of what is inside. What Debian has of its own is not copied.
file(READ "${documents}/LICENSE" licence)
file(READ "${documents}/notices.txt" notices)
string(REGEX REPLACE "=+\nThe Apache License, version 2.0\n.*" "" notices "${notices}")
file(WRITE "${documents}/copyright" "${licence}\n${notices}"
  "The Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0, the GPL in /usr/share/common-licenses/GPL-3.\n")
file(REMOVE "${documents}/LICENSE" "${documents}/notices.txt")

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, where that is set
file(RENAME "${documents}/CHANGELOG.md" "${documents}/changelog")
file(WRITE "${documents}/changelog.Debian"
  "whichgpu (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
  "  * Made of whichgpu ${CPACK_PACKAGE_VERSION}, whose changes are in changelog.gz.\n\n"
  " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
file(GLOB pages "${share}/man/man1/*.1")
execute_process(COMMAND gzip -9 -n -f "${documents}/changelog" "${documents}/changelog.Debian" ${pages}
  COMMAND_ERROR_IS_FATAL ANY)

file(WRITE "${share}/lintian/overrides/whichgpu"
  "# The program, the library that starts it and its header are of one version: they are one package.\n"
  "whichgpu: package-name-doesnt-match-sonames libwhichgpu0\n"
  "whichgpu: link-to-shared-library-in-wrong-package *\n"
  "# It is in no archive.\n"
  "whichgpu: initial-upload-closes-no-bugs *\n")

# What it needs, as Debian's own tool finds it in what is packed.
set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}")
file(GLOB_RECURSE libraries "${root}/lib/libwhichgpu.so.*.*.*")
file(WRITE "${CPACK_TOPLEVEL_DIRECTORY}/debian/control" "Source: whichgpu\n\nPackage: whichgpu\nArchitecture: any\n")
execute_process(COMMAND dpkg-shlibdeps -O "${root}/bin/whichgpu" ${libraries} WORKING_DIRECTORY "${CPACK_TOPLEVEL_DIRECTORY}"
  OUTPUT_VARIABLE depends COMMAND_ERROR_IS_FATAL ANY)
if(NOT depends MATCHES "^shlibs:Depends=(.+)\n$")
  message(FATAL_ERROR "dpkg-shlibdeps answers '${depends}'")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")
