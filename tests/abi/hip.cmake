# SPDX-License-Identifier: MIT
find_path(WHICHGPU_HIP_INCLUDE hip/hiprtc.h
  HINTS "${WHICHGPU_VENDOR_ROOT}/usr/include" /opt/rocm/include ENV ROCM_PATH PATH_SUFFIXES include)
mark_as_advanced(WHICHGPU_HIP_INCLUDE)
if(WHICHGPU_HIP_INCLUDE)
  whichgpu_test(hip_abi_test LABEL unit SOURCES hip_abi_test.cpp LIBRARIES whichgpu_probe_hip)
  target_include_directories(hip_abi_test SYSTEM PRIVATE "${WHICHGPU_HIP_INCLUDE}")
  target_compile_definitions(hip_abi_test PRIVATE __HIP_PLATFORM_AMD__)
else()
  add_test(NAME hip.abi COMMAND ${CMAKE_COMMAND} -E echo "no hip_runtime_api.h here: HIP's declarations are not compared")
  set_tests_properties(hip.abi PROPERTIES SKIP_REGULAR_EXPRESSION "no hip_runtime_api.h" LABELS unit)
endif()
