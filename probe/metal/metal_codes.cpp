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

// What the driver means by MTLCommandBufferErrorInternal stands in brackets at the end of its description, as
// "(0000000e:kIOGPUCommandBufferCallbackErrorImpactingInteractivity)"; before macOS 13 it began with
// kIOAccel. These say that no kernel was wrong; others remain what they are. Of the first the system refuses
// what comes after.
constexpr std::array kPrefixes = {"kIOGPUCommandBufferCallbackError", "kIOAccelCommandBufferCallbackError"};
struct CallbackRow {
  std::string_view end;
  std::string_view name;
  bool ends_queue = false;
};
constexpr std::array kCallbacks = {
    CallbackRow{"ImpactingInteractivity)", "kIOGPUCommandBufferCallbackErrorImpactingInteractivity", true},
    CallbackRow{"InnocentVictim)", "kIOGPUCommandBufferCallbackErrorInnocentVictim"},
};

std::string_view CallbackIn(std::string_view description) {
  for (const std::string_view prefix : kPrefixes) {
    const auto at = description.find(prefix);
    if (at == std::string_view::npos) continue;
    for (const CallbackRow& row : kCallbacks) {
      if (description.substr(at + prefix.size()).starts_with(row.end)) return row.name;
    }
  }
  return {};
}

}  // namespace

Error ErrorOf(const Api& api, std::string_view call, Id error) {
  if (error == nullptr)
    return {std::string(call), std::nullopt, "no error", "it failed, and nobody says why"};
  const auto code = api.Send<Integer>(error, &Selectors::code);
  std::string domain = api.Text(api.Send(error, &Selectors::domain));
  const auto row = std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeRow& known) {
    return known.domain == domain && known.code == code;
  });
  const std::string description = api.Raw(api.Send(error, &Selectors::description));
  std::string name = row == kCodes.end() ? std::move(domain) : std::string(row->name);
  if (row == &kCodes.front()) {
    if (const auto callback = CallbackIn(description); !callback.empty()) name = callback;
  }
  return {std::string(call), code, std::move(name), LogTail(description)};
}

bool EndsQueue(const Error& error) {
  const auto is_it = [&](const auto& known) { return known.ends_queue && known.name == error.name; };
  return std::any_of(kCodes.begin(), kCodes.end(), is_it) ||
         std::any_of(kCallbacks.begin(), kCallbacks.end(), is_it);
}

}  // namespace probe::metal
