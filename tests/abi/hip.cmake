# SPDX-License-Identifier: MIT
# ROCm's own headers, of whatever release is installed or Debian has (5.2 in Debian 12), and what AMD's bindings for Python
# say of the newest, a 7. Those of ROCm 6 are in a wheel of Triton, of which ./dev test has these headers alone.
set(rocm "${packages}" /usr/include "$ENV{ROCM_PATH}/include" /opt/rocm/include)
abi_test(hip SOURCE hip_abi_test.cpp HEADER hip/hip_runtime_api.h FOLDERS ${rocm} LIBRARIES whichgpu_probe_hip
  DEFINITIONS __HIP_PLATFORM_AMD__)
abi_test(hip_6 SOURCE hip_abi_test.cpp HEADER hip/hip_runtime_api.h FOLDERS "${wheels}/hip_6"
  LIBRARIES whichgpu_probe_hip DEFINITIONS __HIP_PLATFORM_AMD__)
abi_test(hip_newest SOURCE hip_abi_test.cpp HEADER hip/hip_runtime_api.h FOLDERS "${bindings}"
  LIBRARIES whichgpu_probe_hip)
abi_test(rccl_newest SOURCE nccl_abi_test.cpp HEADER nccl.h FOLDERS "${bindings}" LIBRARIES whichgpu_backends_stream)
abi_test(hipblaslt_newest SOURCE hipblaslt_abi_test.cpp HEADER hipblaslt/hipblaslt.h FOLDERS "${bindings}"
  LIBRARIES whichgpu_backends_hip)
# Debian has it from 13 on, as librocblas-dev.
abi_test(rocblas SOURCE rocblas_abi_test.cpp HEADER rocblas/rocblas.h FOLDERS ${rocm} LIBRARIES whichgpu_backends_hip
  DEFINITIONS __HIP_PLATFORM_AMD__)
