// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "probe/sycl/sycl_api.h"

namespace probe::sycl {
namespace {

struct CodeRow {
  UrResult code;
  std::string_view name;
};

// ur_result_t of ur_api.h, the same from 0.10 on: those that a probe or a computation can meet.
constexpr std::array kCodes = {
    CodeRow{1, "UR_RESULT_ERROR_INVALID_OPERATION"},
    CodeRow{2, "UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES"},
    CodeRow{3, "UR_RESULT_ERROR_INVALID_QUEUE"},
    CodeRow{4, "UR_RESULT_ERROR_INVALID_VALUE"},
    CodeRow{5, "UR_RESULT_ERROR_INVALID_CONTEXT"},
    CodeRow{6, "UR_RESULT_ERROR_INVALID_PLATFORM"},
    CodeRow{7, "UR_RESULT_ERROR_INVALID_BINARY"},
    CodeRow{8, "UR_RESULT_ERROR_INVALID_PROGRAM"},
    CodeRow{10, "UR_RESULT_ERROR_INVALID_BUFFER_SIZE"},
    CodeRow{11, "UR_RESULT_ERROR_INVALID_MEM_OBJECT"},
    CodeRow{12, "UR_RESULT_ERROR_INVALID_EVENT"},
    CodeRow{15, "UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE"},
    CodeRow{16, "UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE"},
    CodeRow{17, "UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE"},
    CodeRow{18, "UR_RESULT_ERROR_DEVICE_NOT_FOUND"},
    CodeRow{19, "UR_RESULT_ERROR_INVALID_DEVICE"},
    CodeRow{20, "UR_RESULT_ERROR_DEVICE_LOST"},
    CodeRow{21, "UR_RESULT_ERROR_DEVICE_REQUIRES_RESET"},
    CodeRow{22, "UR_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE"},
    CodeRow{25, "UR_RESULT_ERROR_INVALID_WORK_ITEM_SIZE"},
    CodeRow{26, "UR_RESULT_ERROR_INVALID_WORK_DIMENSION"},
    CodeRow{28, "UR_RESULT_ERROR_INVALID_KERNEL"},
    CodeRow{29, "UR_RESULT_ERROR_INVALID_KERNEL_NAME"},
    CodeRow{30, "UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX"},
    CodeRow{31, "UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE"},
    CodeRow{35, "UR_RESULT_ERROR_MEM_OBJECT_ALLOCATION_FAILURE"},
    CodeRow{36, "UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE"},
    CodeRow{37, "UR_RESULT_ERROR_UNINITIALIZED"},
    CodeRow{38, "UR_RESULT_ERROR_OUT_OF_HOST_MEMORY"},
    CodeRow{39, "UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"},
    CodeRow{40, "UR_RESULT_ERROR_OUT_OF_RESOURCES"},
    CodeRow{41, "UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE"},
    CodeRow{42, "UR_RESULT_ERROR_PROGRAM_LINK_FAILURE"},
    CodeRow{43, "UR_RESULT_ERROR_UNSUPPORTED_VERSION"},
    CodeRow{44, "UR_RESULT_ERROR_UNSUPPORTED_FEATURE"},
    CodeRow{45, "UR_RESULT_ERROR_INVALID_ARGUMENT"},
    CodeRow{46, "UR_RESULT_ERROR_INVALID_NULL_HANDLE"},
    CodeRow{47, "UR_RESULT_ERROR_HANDLE_OBJECT_IN_USE"},
    CodeRow{48, "UR_RESULT_ERROR_INVALID_NULL_POINTER"},
    CodeRow{49, "UR_RESULT_ERROR_INVALID_SIZE"},
    CodeRow{50, "UR_RESULT_ERROR_UNSUPPORTED_SIZE"},
    CodeRow{51, "UR_RESULT_ERROR_UNSUPPORTED_ALIGNMENT"},
    CodeRow{53, "UR_RESULT_ERROR_INVALID_ENUMERATION"},
    CodeRow{54, "UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION"},
    CodeRow{56, "UR_RESULT_ERROR_INVALID_NATIVE_BINARY"},
    CodeRow{59, "UR_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION"},
    CodeRow{61, "UR_RESULT_ERROR_PROGRAM_UNLINKED"},
    CodeRow{64, "UR_RESULT_ERROR_INVALID_USM_SIZE"},
    CodeRow{65, "UR_RESULT_ERROR_OBJECT_ALLOCATION_FAILURE"},
    CodeRow{66, "UR_RESULT_ERROR_ADAPTER_SPECIFIC"},
    CodeRow{67, "UR_RESULT_ERROR_LAYER_NOT_PRESENT"},
    CodeRow{68, "UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS"},
    CodeRow{69, "UR_RESULT_ERROR_DEVICE_NOT_AVAILABLE"},
    CodeRow{0x7ffffffe, "UR_RESULT_ERROR_UNKNOWN"},
};

}  // namespace

Error ErrorOf(std::string_view call, UrResult code) {
  const auto row =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeRow& r) { return r.code == code; });
  return {std::string(call), code, std::string(row == kCodes.end() ? "unknown error" : row->name), {}};
}

bool EndsContext(UrResult code) { return code == kUrDeviceLost || code == kUrDeviceRequiresReset; }

}  // namespace probe::sycl
