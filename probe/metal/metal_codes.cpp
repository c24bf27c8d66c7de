// SPDX-License-Identifier: MIT
// The names of Metal's errors (MTLCommandBuffer.h, MTLLibrary.h).
#include <algorithm>
#include <array>

#include "probe/core/text.h"
#include "probe/metal/metal_api.h"

namespace probe::metal {
namespace {

struct CodeRow {
  std::string_view domain;
  Integer code;
  std::string_view name;
  bool ends_queue = false;  // others of the queue are refused, or nobody knows what they would find
};
constexpr std::string_view kOfCommands = "MTLCommandBufferErrorDomain",
                           kOfLibraries = "MTLLibraryErrorDomain";
constexpr std::array kCodes = {
    CodeRow{kOfCommands, 1, "MTLCommandBufferErrorInternal", true},
    CodeRow{kOfCommands, 2, "MTLCommandBufferErrorTimeout", true},
    CodeRow{kOfCommands, 3, "MTLCommandBufferErrorPageFault", true},
    CodeRow{kOfCommands, 4, "MTLCommandBufferErrorAccessRevoked", true},
    CodeRow{kOfCommands, 7, "MTLCommandBufferErrorNotPermitted"},
    CodeRow{kOfCommands, 8, "MTLCommandBufferErrorOutOfMemory"},
    CodeRow{kOfCommands, 9, "MTLCommandBufferErrorInvalidResource"},
    CodeRow{kOfCommands, 10, "MTLCommandBufferErrorMemoryless"},
    CodeRow{kOfCommands, 11, "MTLCommandBufferErrorDeviceRemoved", true},
    CodeRow{kOfCommands, 12, "MTLCommandBufferErrorStackOverflow", true},
    CodeRow{kOfLibraries, 1, "MTLLibraryErrorUnsupported"},
    CodeRow{kOfLibraries, 2, "MTLLibraryErrorInternal"},
    CodeRow{kOfLibraries, 3, "MTLLibraryErrorCompileFailure"},
    CodeRow{kOfLibraries, 5, "MTLLibraryErrorFunctionNotFound"},
};

}  // namespace

Error ErrorOf(const Api& api, std::string_view call, Id error) {
  if (error == nullptr)
    return {std::string(call), std::nullopt, "no error", "it failed, and nobody says why"};
  const auto code = api.Send<Integer>(error, &Selectors::code);
  std::string domain = api.Text(api.Send(error, &Selectors::domain));
  const auto row = std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeRow& known) {
    return known.domain == domain && known.code == code;
  });
  return {std::string(call), code, row == kCodes.end() ? std::move(domain) : std::string(row->name),
          LogTail(api.Raw(api.Send(error, &Selectors::description)))};
}

bool EndsQueue(const Error& error) {
  return std::any_of(kCodes.begin(), kCodes.end(),
                     [&](const CodeRow& known) { return known.ends_queue && known.name == error.name; });
}

}  // namespace probe::metal
