// SPDX-License-Identifier: MIT
// What HIP's and hiprtc's error codes are called, and what they mean to a person.
#include <algorithm>
#include <array>
#include <span>

#include "probe/hip/hip_api.h"

namespace probe::hip {
namespace {

struct CodeRow {
  int code;
  std::string_view name;
  std::string_view text;      // what it means to a person, where that is not plain from the name
  bool ends_context = false;  // no call of the process succeeds after it
};

// HIP, enum hipError_t; tests/abi compares the names with hip_runtime_api.h. Which end the context AMD says
// neither there nor in "HIP error codes" (rocm.docs.amd.com): those of cuda.h's with the same numbers of
// which it says so, and that HIP has. Of 214 it does not.
constexpr std::array kCodes = {
    CodeRow{1, "hipErrorInvalidValue", ""},
    CodeRow{2, "hipErrorOutOfMemory", "there is not as much memory"},
    CodeRow{3, "hipErrorNotInitialized", ""},
    CodeRow{4, "hipErrorDeinitialized", ""},
    CodeRow{5, "hipErrorProfilerDisabled", ""},
    CodeRow{6, "hipErrorProfilerNotInitialized", ""},
    CodeRow{7, "hipErrorProfilerAlreadyStarted", ""},
    CodeRow{8, "hipErrorProfilerAlreadyStopped", ""},
    CodeRow{9, "hipErrorInvalidConfiguration", ""},
    CodeRow{12, "hipErrorInvalidPitchValue", ""},
    CodeRow{13, "hipErrorInvalidSymbol", ""},
    CodeRow{17, "hipErrorInvalidDevicePointer", ""},
    CodeRow{21, "hipErrorInvalidMemcpyDirection", ""},
    CodeRow{35, "hipErrorInsufficientDriver", "the kernel driver is older than this runtime needs"},
    CodeRow{52, "hipErrorMissingConfiguration", ""},
    CodeRow{53, "hipErrorPriorLaunchFailure", ""},
    CodeRow{98, "hipErrorInvalidDeviceFunction", "no code for this device's gfx target"},
    CodeRow{100, "hipErrorNoDevice", ""},
    CodeRow{101, "hipErrorInvalidDevice", ""},
    CodeRow{200, "hipErrorInvalidImage", ""},
    CodeRow{201, "hipErrorInvalidContext", ""},
    CodeRow{202, "hipErrorContextAlreadyCurrent", ""},
    CodeRow{205, "hipErrorMapFailed", ""},
    CodeRow{206, "hipErrorUnmapFailed", ""},
    CodeRow{207, "hipErrorArrayIsMapped", ""},
    CodeRow{208, "hipErrorAlreadyMapped", ""},
    CodeRow{209, "hipErrorNoBinaryForGpu", "no code for this device's gfx target"},
    CodeRow{210, "hipErrorAlreadyAcquired", ""},
    CodeRow{211, "hipErrorNotMapped", ""},
    CodeRow{212, "hipErrorNotMappedAsArray", ""},
    CodeRow{213, "hipErrorNotMappedAsPointer", ""},
    CodeRow{214, "hipErrorECCNotCorrectable", "the device's memory has an error that could not be corrected"},
    CodeRow{215, "hipErrorUnsupportedLimit", ""},
    CodeRow{216, "hipErrorContextAlreadyInUse", ""},
    CodeRow{217, "hipErrorPeerAccessUnsupported", ""},
    CodeRow{218, "hipErrorInvalidKernelFile", ""},
    CodeRow{219, "hipErrorInvalidGraphicsContext", ""},
    CodeRow{300, "hipErrorInvalidSource", ""},
    CodeRow{301, "hipErrorFileNotFound", ""},
    CodeRow{302, "hipErrorSharedObjectSymbolNotFound", ""},
    CodeRow{303, "hipErrorSharedObjectInitFailed", ""},
    CodeRow{304, "hipErrorOperatingSystem", "the operating system refused the driver a call"},
    CodeRow{400, "hipErrorInvalidHandle", ""},
    CodeRow{401, "hipErrorIllegalState", ""},
    CodeRow{500, "hipErrorNotFound", ""},
    CodeRow{600, "hipErrorNotReady", ""},
    CodeRow{700, "hipErrorIllegalAddress", "the kernel touched memory that is not its own", true},
    CodeRow{701, "hipErrorLaunchOutOfResources", ""},
    CodeRow{702, "hipErrorLaunchTimeOut", "", true},
    CodeRow{704, "hipErrorPeerAccessAlreadyEnabled", ""},
    CodeRow{705, "hipErrorPeerAccessNotEnabled", ""},
    CodeRow{708, "hipErrorSetOnActiveProcess", ""},
    CodeRow{709, "hipErrorContextIsDestroyed", ""},
    CodeRow{710, "hipErrorAssert", "", true},
    CodeRow{712, "hipErrorHostMemoryAlreadyRegistered", ""},
    CodeRow{713, "hipErrorHostMemoryNotRegistered", ""},
    CodeRow{719, "hipErrorLaunchFailure", "the kernel died or the device was reset", true},
    CodeRow{720, "hipErrorCooperativeLaunchTooLarge", ""},
    CodeRow{801, "hipErrorNotSupported", ""},
    CodeRow{900, "hipErrorStreamCaptureUnsupported", ""},
    CodeRow{901, "hipErrorStreamCaptureInvalidated", ""},
    CodeRow{902, "hipErrorStreamCaptureMerge", ""},
    CodeRow{903, "hipErrorStreamCaptureUnmatched", ""},
    CodeRow{904, "hipErrorStreamCaptureUnjoined", ""},
    CodeRow{905, "hipErrorStreamCaptureIsolation", ""},
    CodeRow{906, "hipErrorStreamCaptureImplicit", ""},
    CodeRow{907, "hipErrorCapturedEvent", ""},
    CodeRow{908, "hipErrorStreamCaptureWrongThread", ""},
    CodeRow{910, "hipErrorGraphExecUpdateFailure", ""},
    CodeRow{911, "hipErrorInvalidChannelDescriptor", ""},
    CodeRow{912, "hipErrorInvalidTexture", ""},
    CodeRow{914, "hipErrorInvalidResourceType", ""},
    CodeRow{915, "hipErrorInvalidResourceConfiguration", ""},
    CodeRow{916, "hipErrorStreamDetached", ""},
    CodeRow{999, "hipErrorUnknown", "the runtime failed without saying why"},
    CodeRow{1052, "hipErrorRuntimeMemory", "the HSA runtime below HIP failed to get memory"},
    CodeRow{1053, "hipErrorRuntimeOther", "the HSA runtime below HIP failed"},
    CodeRow{1054, "hipErrorInvalidClusterSize", ""},
};
// hiprtc, enum hiprtcResult; tests/abi compares the names with hiprtc.h.
constexpr std::array kCompilerCodes = {
    CodeRow{1, "HIPRTC_ERROR_OUT_OF_MEMORY", ""},
    CodeRow{2, "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE", ""},
    CodeRow{3, "HIPRTC_ERROR_INVALID_INPUT", ""},
    CodeRow{4, "HIPRTC_ERROR_INVALID_PROGRAM", ""},
    CodeRow{5, "HIPRTC_ERROR_INVALID_OPTION", ""},
    CodeRow{6, "HIPRTC_ERROR_COMPILATION", "the compiler refuses the code"},
    CodeRow{7, "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE", "the compiler's own headers or bitcode are missing"},
    CodeRow{8, "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION", ""},
    CodeRow{9, "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION", ""},
    CodeRow{10, "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID", ""},
    CodeRow{11, "HIPRTC_ERROR_INTERNAL_ERROR", ""},
    CodeRow{100, "HIPRTC_ERROR_LINKING", ""},
};

Error Named(std::span<const CodeRow> rows, std::string_view call, int code) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const CodeRow& r) { return r.code == code; });
  if (row == rows.end()) return {std::string(call), code, "unknown error", {}};
  return {std::string(call), code, std::string(row->name), std::string(row->text)};
}

}  // namespace

Error ErrorOf(std::string_view call, HipResult code) { return Named(kCodes, call, code); }

bool EndsContext(std::int64_t code) {
  return std::any_of(kCodes.begin(), kCodes.end(),
                     [&](const CodeRow& row) { return row.code == code && row.ends_context; });
}

HipResult Told(const Api& api, HipResult code) {
  if (code != kHipSuccess && api.hipGetLastError != nullptr) (void)api.hipGetLastError();
  return code;
}

Error CompilerErrorOf(std::string_view call, HiprtcResult code) { return Named(kCompilerCodes, call, code); }

}  // namespace probe::hip
