// SPDX-License-Identifier: MIT
// What parent and child agree on besides the records: descriptor numbers and the request's form.
#pragma once

#include <cstddef>
#include <string_view>

namespace probe::isolate {

// Descriptors of a child at start, after the standard streams.
inline constexpr int kRequestDescriptor = 3;  // {"task": name, "request": ..., "seal": ...} until end of file
inline constexpr int kResultDescriptor = 4;   // records of channel.h

inline constexpr std::size_t kMaxRequestBytes = 1U << 20U;

// Keys of the records that this folder itself reads or writes.
inline constexpr std::string_view kDoneKey = "done";
inline constexpr std::string_view kErrorKey = "error";
inline constexpr std::string_view kAllowKey = "allow_s";
inline constexpr std::string_view kAloneKey = "without_reaper";  // no second process could be started
// A text that this parent and this child alone know and that every record carries: what a driver writes into
// the pipe can not pass for one.
inline constexpr std::string_view kSealKey = "seal";

}  // namespace probe::isolate
