# SPDX-License-Identifier: MIT
# The toolchain of ./dev release: zig's clang, which brings its own C++ library and the symbols of any glibc since 2.17, so that
# what is linked here starts on systems older than this one. It reads
#   WHICHGPU_RELEASE_TOOLS  the folder of c++, ar and ranlib for the processor, which release/build.sh writes
#   WHICHGPU_RELEASE_ROOT   where the packages of headers and archives for the processor are unpacked
#   WHICHGPU_RELEASE_ARCH   x86_64 or aarch64
set(inputs WHICHGPU_RELEASE_TOOLS WHICHGPU_RELEASE_ROOT WHICHGPU_RELEASE_ARCH)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ${inputs})
foreach(input IN LISTS inputs)
  if(NOT ${input})
    message(FATAL_ERROR "cmake/zig.cmake needs ${input}; ./dev release sets it")
  endif()
endforeach()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${WHICHGPU_RELEASE_ARCH}")
set(CMAKE_LIBRARY_ARCHITECTURE "${WHICHGPU_RELEASE_ARCH}-linux-gnu")
set(CMAKE_CXX_COMPILER "${WHICHGPU_RELEASE_TOOLS}/c++")
set(CMAKE_AR "${WHICHGPU_RELEASE_TOOLS}/ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${WHICHGPU_RELEASE_TOOLS}/ranlib" CACHE FILEPATH "")
# Nothing of this machine's: its headers are of another C library.
set(CMAKE_FIND_ROOT_PATH "${WHICHGPU_RELEASE_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind INCLUDE LIBRARY PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# zig adds sanitizers, frame pointers and paths for a debugger unless told otherwise. Products and sums are joined nowhere but
# where the source says so, as by g++ for standard C++: the same figures from both. With -O2 from
# the first test program on one C++ library of zig's serves all of them.
set(CMAKE_CXX_FLAGS_INIT "-O2 -fno-sanitize=all -fomit-frame-pointer -g0 -ffp-contract=off")
# The same bytes from every folder.
get_filename_component(source "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
string(APPEND CMAKE_CXX_FLAGS_INIT " -ffile-prefix-map=${source}=. -ffile-prefix-map=${WHICHGPU_RELEASE_ROOT}=/")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -Wl,--build-id=none")
