# SPDX-License-Identifier: MIT
# Debian's libze-dev (1.8 in Debian 12), or what is installed.
abi_test(level_zero SOURCE level_zero_abi_test.cpp HEADER level_zero/ze_api.h FOLDERS "${packages}" /usr/include
  LIBRARIES whichgpu_probe_level_zero)
