# SPDX-License-Identifier: MIT
# gpu_plain: CUDA C++ as anybody writes it, where there is a compiler of it; without one it builds nothing, and says so.
find_program(NVCC nvcc HINTS /usr/local/cuda/bin)
if(NVCC)
  add_custom_command(OUTPUT plain_cuda DEPENDS "${CMAKE_CURRENT_LIST_DIR}/gpu/plain_cuda.cu"
    COMMAND "${CMAKE_COMMAND}" -E env --unset=LIBRARY_PATH "${NVCC}" -std=c++17 -O3 -arch=compute_80 -code=compute_80,sm_90
      -cudart static "${CMAKE_CURRENT_LIST_DIR}/gpu/plain_cuda.cu" -o plain_cuda)
  add_custom_target(gpu_plain DEPENDS plain_cuda)
else()
  add_custom_target(gpu_plain COMMAND "${CMAKE_COMMAND}" -E echo
    "There is no nvcc: plain_cuda, which a GPU's figures are held against, is not built" VERBATIM)
endif()
