# SPDX-License-Identifier: MIT
# The header of the newest release is in Intel's runtime, which tests run on; those of earlier ones ./dev test takes from their
# wheels.
set(runtimes "$ENV{WHICHGPU_TEST_CACHE}/downloaded/sycl" "${vendor}/downloaded/sycl")
list(TRANSFORM runtimes APPEND "/2026.2.0/include/unified-runtime")
abi_test(sycl SOURCE sycl_abi_test.cpp HEADER ur_api.h FOLDERS ${runtimes} LIBRARIES whichgpu_probe_sycl)
abi_test(sycl_2025_3 SOURCE sycl_2025_3_abi_test.cpp HEADER ur_api.h FOLDERS "${wheels}/ur_2025_3"
  LIBRARIES whichgpu_probe_sycl)
abi_test(sycl_2025_1 SOURCE sycl_2025_1_abi_test.cpp HEADER ur_api.h FOLDERS "${wheels}/ur_2025_1"
  LIBRARIES whichgpu_probe_sycl)
