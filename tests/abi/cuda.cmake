# SPDX-License-Identifier: MIT
# The toolkit's headers, where it is installed, and those of NVIDIA's wheels of other releases.
set(toolkit "$ENV{CUDA_HOME}/include" /usr/local/cuda/include)
abi_test(cuda SOURCE cuda_abi_test.cpp HEADER cuda.h FOLDERS ${toolkit} LIBRARIES whichgpu_probe_cuda)
abi_test(cuda_12 SOURCE cuda_abi_test.cpp HEADER cuda.h
  FOLDERS "${wheels}/nvidia-cuda-runtime-cu12/nvidia/cuda_runtime/include" LIBRARIES whichgpu_probe_cuda)
abi_test(nvml_11 SOURCE nvml_abi_test.cpp HEADER nvml.h FOLDERS "${wheels}/nvidia-nvml-dev-cu11/nvidia/nvml_dev/include"
  LIBRARIES whichgpu_probe_cuda)
abi_test(nvml_13 SOURCE nvml_abi_test.cpp HEADER nvml.h FOLDERS "${wheels}/nvidia-nvml-dev/nvidia/cu13/include"
  LIBRARIES whichgpu_probe_cuda)

# The codes are in a header of their own. NCCL comes with some toolkits, or in a package of its own.
abi_test(cublaslt SOURCE cublaslt_abi_test.cpp HEADER cublasLt.h FOLDERS ${toolkit} LIBRARIES whichgpu_backends_cuda)
abi_test(nccl SOURCE nccl_abi_test.cpp HEADER nccl.h FOLDERS ${toolkit} /usr/include INCLUDES ${toolkit}
  LIBRARIES whichgpu_backends_stream)
