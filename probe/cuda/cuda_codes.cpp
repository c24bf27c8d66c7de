// SPDX-License-Identifier: MIT
// What the driver's error codes are called, what they mean to a person, and which of them end a process's
// work.
#include <algorithm>
#include <array>

#include "probe/cuda/cuda_api.h"

namespace probe::cuda {
namespace {

struct CodeRow {
  CuResult code;
  std::string_view name;
  std::string_view text;      // what it means to a person, where that is not plain from the name
  bool ends_context = false;  // later calls return the same, the process must end
};

// CUDA Driver API, enum CUresult; tests/abi compares names and ends with cuda.h, which is silent on two of
// the latter: what the memory (214) or a link (220) could not correct ends every process that it meets, and
// another can work (NVIDIA, "GPU Memory Error Management" and "XID Errors": 48, 94, 95; 74).
constexpr std::array kCodes = {
    CodeRow{1, "CUDA_ERROR_INVALID_VALUE", ""},
    CodeRow{2, "CUDA_ERROR_OUT_OF_MEMORY", "there is not as much memory"},
    CodeRow{3, "CUDA_ERROR_NOT_INITIALIZED", ""},
    CodeRow{4, "CUDA_ERROR_DEINITIALIZED", ""},
    CodeRow{5, "CUDA_ERROR_PROFILER_DISABLED", ""},
    CodeRow{6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED", ""},
    CodeRow{7, "CUDA_ERROR_PROFILER_ALREADY_STARTED", ""},
    CodeRow{8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED", ""},
    CodeRow{34, "CUDA_ERROR_STUB_LIBRARY", "this libcuda is the toolkit's stub for linking, not a driver"},
    CodeRow{36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "the driver is too old for this call"},
    CodeRow{46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
            "another process has the device in exclusive mode, or it is lost"},
    CodeRow{100, "CUDA_ERROR_NO_DEVICE", ""},
    CodeRow{101, "CUDA_ERROR_INVALID_DEVICE", ""},
    CodeRow{102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "a virtual GPU without a license"},
    CodeRow{200, "CUDA_ERROR_INVALID_IMAGE", ""},
    CodeRow{201, "CUDA_ERROR_INVALID_CONTEXT", ""},
    CodeRow{202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", ""},
    CodeRow{205, "CUDA_ERROR_MAP_FAILED", ""},
    CodeRow{206, "CUDA_ERROR_UNMAP_FAILED", ""},
    CodeRow{207, "CUDA_ERROR_ARRAY_IS_MAPPED", ""},
    CodeRow{208, "CUDA_ERROR_ALREADY_MAPPED", ""},
    CodeRow{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no code for this device's architecture"},
    CodeRow{210, "CUDA_ERROR_ALREADY_ACQUIRED", ""},
    CodeRow{211, "CUDA_ERROR_NOT_MAPPED", ""},
    CodeRow{212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", ""},
    CodeRow{213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER", ""},
    CodeRow{214, "CUDA_ERROR_ECC_UNCORRECTABLE",
            "the device's memory has an error that could not be corrected", true},
    CodeRow{215, "CUDA_ERROR_UNSUPPORTED_LIMIT", ""},
    CodeRow{216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", ""},
    CodeRow{217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", ""},
    CodeRow{218, "CUDA_ERROR_INVALID_PTX", "the driver's compiler refuses the code"},
    CodeRow{219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", ""},
    CodeRow{220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "an NVLink has an error that could not be corrected",
            true},
    CodeRow{221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "libnvidia-ptxjitcompiler.so.1 is missing"},
    CodeRow{222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the driver is older than the code's version of PTX"},
    CodeRow{223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "CUDA_DISABLE_PTX_JIT is set"},
    CodeRow{224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", ""},
    CodeRow{225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", ""},
    CodeRow{226, "CUDA_ERROR_CONTAINED", "a fault of the device's memory was contained", true},
    CodeRow{300, "CUDA_ERROR_INVALID_SOURCE", ""},
    CodeRow{301, "CUDA_ERROR_FILE_NOT_FOUND", ""},
    CodeRow{302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "parts of the driver are of other versions"},
    CodeRow{303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "a library of the driver can not be loaded"},
    CodeRow{304, "CUDA_ERROR_OPERATING_SYSTEM", "the operating system refused the driver a call"},
    CodeRow{400, "CUDA_ERROR_INVALID_HANDLE", ""},
    CodeRow{401, "CUDA_ERROR_ILLEGAL_STATE", ""},
    CodeRow{402, "CUDA_ERROR_LOSSY_QUERY", ""},
    CodeRow{500, "CUDA_ERROR_NOT_FOUND", ""},
    CodeRow{600, "CUDA_ERROR_NOT_READY", ""},
    CodeRow{700, "CUDA_ERROR_ILLEGAL_ADDRESS", "", true},
    CodeRow{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", ""},
    CodeRow{702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran longer than the display's watchdog allows",
            true},
    CodeRow{703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", ""},
    CodeRow{704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", ""},
    CodeRow{705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", ""},
    CodeRow{708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", ""},
    CodeRow{709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", ""},
    CodeRow{710, "CUDA_ERROR_ASSERT", "", true},
    CodeRow{711, "CUDA_ERROR_TOO_MANY_PEERS", ""},
    CodeRow{712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", ""},
    CodeRow{713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", ""},
    CodeRow{714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "", true},
    CodeRow{715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "", true},
    CodeRow{716, "CUDA_ERROR_MISALIGNED_ADDRESS", "", true},
    CodeRow{717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "", true},
    CodeRow{718, "CUDA_ERROR_INVALID_PC", "", true},
    CodeRow{719, "CUDA_ERROR_LAUNCH_FAILED", "the kernel died or the device fell off the bus", true},
    CodeRow{720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", ""},
    CodeRow{721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "a kernel kept tensor memory that it had asked for", true},
    CodeRow{800, "CUDA_ERROR_NOT_PERMITTED", "the driver or its administrator does not permit it"},
    CodeRow{801, "CUDA_ERROR_NOT_SUPPORTED", ""},
    CodeRow{802, "CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready yet"},
    CodeRow{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
            "libcuda and the kernel driver are of different versions"},
    CodeRow{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
            "a libcuda of the cuda-compat package is used, which this device does not support"},
    CodeRow{805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "the MPS server does not answer"},
    CodeRow{806, "CUDA_ERROR_MPS_RPC_FAILURE", "the MPS server does not answer"},
    CodeRow{807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS server recovers from a fault: try again"},
    CodeRow{808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the MPS server has no room for another process"},
    CodeRow{809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED",
            "the MPS server has no room for another connection"},
    CodeRow{810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS server ended this process's work", true},
    CodeRow{811, "CUDA_ERROR_CDP_NOT_SUPPORTED", ""},
    CodeRow{812, "CUDA_ERROR_CDP_VERSION_MISMATCH", ""},
    CodeRow{900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", ""},
    CodeRow{901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", ""},
    CodeRow{902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", ""},
    CodeRow{903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", ""},
    CodeRow{904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", ""},
    CodeRow{905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", ""},
    CodeRow{906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", ""},
    CodeRow{907, "CUDA_ERROR_CAPTURED_EVENT", ""},
    CodeRow{908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", ""},
    CodeRow{909, "CUDA_ERROR_TIMEOUT", ""},
    CodeRow{910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", ""},
    CodeRow{911, "CUDA_ERROR_EXTERNAL_DEVICE", "", true},
    CodeRow{912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", ""},
    CodeRow{913, "CUDA_ERROR_FUNCTION_NOT_LOADED", ""},
    CodeRow{914, "CUDA_ERROR_INVALID_RESOURCE_TYPE", ""},
    CodeRow{915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", ""},
    CodeRow{916, "CUDA_ERROR_KEY_ROTATION", ""},
    CodeRow{999, "CUDA_ERROR_UNKNOWN", "the driver failed without saying why"},
};

}  // namespace

Error ErrorOf(std::string_view call, CuResult code) {
  const auto row =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeRow& r) { return r.code == code; });
  if (row == kCodes.end()) return {std::string(call), code, "unknown error", {}};
  return {std::string(call), code, std::string(row->name), std::string(row->text)};
}

bool EndsContext(std::int64_t code) {
  return std::any_of(kCodes.begin(), kCodes.end(),
                     [&](const CodeRow& row) { return row.code == code && row.ends_context; });
}

}  // namespace probe::cuda
