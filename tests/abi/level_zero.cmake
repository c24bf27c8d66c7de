# SPDX-License-Identifier: MIT
# Debian's libze-dev (1.8 in Debian 12), or what is installed.
abi_test(level_zero SOURCE level_zero_abi_test.cpp HEADER level_zero/ze_api.h FOLDERS "${packages}" /usr/include
  LIBRARIES whichgpu_probe_level_zero)
# The newest oneDNN's of a wheel, which the headers of Level Zero go with, and what is installed (libdnnl-dev).
abi_test(onednn_newest SOURCE onednn_abi_test.cpp HEADER oneapi/dnnl/dnnl_ze.h FOLDERS "${wheels}/onednn"
  INCLUDES "${packages}" LIBRARIES whichgpu_backends_level_zero)
abi_test(onednn SOURCE onednn_abi_test.cpp HEADER oneapi/dnnl/dnnl.h FOLDERS /usr/include
  INCLUDES "${packages}" LIBRARIES whichgpu_backends_level_zero)
