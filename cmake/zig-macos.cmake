# SPDX-License-Identifier: MIT
# The toolchain of ./dev portable macos: zig's clang, linker and C++ library, and what of Apple's headers and of the list of
# libSystem's symbols it brings. It reads
#   WHICHGPU_MACOS_TOOLS      the folder of zig, c++, ar and ranlib for the processor, which release/build.sh writes
#   WHICHGPU_MACOS_ROOT       where the headers of other projects lie without those of this machine's C library
#   WHICHGPU_MACOS_PROCESSOR  arm64 or x86_64, as uname(1) calls it there
set(inputs WHICHGPU_MACOS_TOOLS WHICHGPU_MACOS_ROOT WHICHGPU_MACOS_PROCESSOR)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ${inputs})
foreach(input IN LISTS inputs)
  if(NOT ${input})
    message(FATAL_ERROR "cmake/zig-macos.cmake needs ${input}; ./dev portable macos sets it")
  endif()
endforeach()
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../release/build.sh" pinned REGEX "^release_zig=ziglang==")
string(REPLACE "release_zig=ziglang==" "" pinned "${pinned}")
execute_process(COMMAND "${WHICHGPU_MACOS_TOOLS}/zig" version OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT pinned OR NOT found STREQUAL pinned)
  message(FATAL_ERROR "cmake/zig-macos.cmake needs zig ${pinned}, as release/build.sh says, and finds '${found}'")
endif()
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR "${WHICHGPU_MACOS_PROCESSOR}")
set(CMAKE_CXX_COMPILER "${WHICHGPU_MACOS_TOOLS}/c++")
set(CMAKE_AR "${WHICHGPU_MACOS_TOOLS}/ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${WHICHGPU_MACOS_TOOLS}/ranlib" CACHE FILEPATH "")
# Nothing is installed, and no part of Xcode is here to be asked: the target that the tools name says it all.
set(CMAKE_INSTALL_NAME_TOOL "${CMAKE_COMMAND}" CACHE FILEPATH "")
foreach(of_xcode SYSROOT DEPLOYMENT_TARGET ARCHITECTURES)
  set(CMAKE_OSX_${of_xcode} "" CACHE STRING "")
endforeach()
# Nothing of this machine's: its headers are of another C library.
set(CMAKE_FIND_ROOT_PATH "${WHICHGPU_MACOS_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind INCLUDE LIBRARY PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# Return addresses that are signed are another ABI of Apple's, arm64e.
set(WHICHGPU_HAS_mbranch_protection_standard OFF CACHE BOOL "")
# As in cmake/zig.cmake.
set(CMAKE_CXX_FLAGS_INIT "-O2 -fno-sanitize=all -fomit-frame-pointer -g0 -ffp-contract=off")
