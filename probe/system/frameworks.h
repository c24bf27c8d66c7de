// SPDX-License-Identifier: MIT
// Libraries of macOS that more than one module asks; system::Library says what a path of theirs means.
#pragma once

#include <string_view>

namespace probe::system {

inline constexpr std::string_view kIoKitName = "/System/Library/Frameworks/IOKit.framework/IOKit";
inline constexpr std::string_view kCoreFoundationName =
    "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation";

}  // namespace probe::system
