// SPDX-License-Identifier: MIT
// The wire between a child and its parent: which descriptors it runs over, and the records on it. A record is
// a length of four bytes, little-endian, and so many bytes of JSON. {"stage": ...} and {"event": ...} records
// are the caller's; {"done": true} is the child's last word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/codec.h"

namespace probe::isolate {

// Descriptors of a child at start, after the standard streams.
inline constexpr int kRequestDescriptor = 3;  // {"task": name, "request": ..., "seal": ...} until end of file
inline constexpr int kResultDescriptor = 4;   // the records
inline constexpr int kExitLostChannel = 70;   // whose records the parent can no longer receive

inline constexpr std::size_t kMaxRequestBytes = 1U << 20U;

// Keys of the records that this folder itself reads or writes.
inline constexpr std::string_view kDoneKey = "done";
inline constexpr std::string_view kErrorKey = "error";
inline constexpr std::string_view kAllowKey = "allow_s";
inline constexpr std::string_view kAloneKey = "without_reaper";  // no second process could be started
// A text that this parent and this child alone know and that every record carries: what a driver writes into
// the pipe can not pass for one.
inline constexpr std::string_view kSealKey = "seal";

inline constexpr std::size_t kMaxRecordBytes = 1U << 20U;
inline constexpr std::size_t kMaxResultBytes = 16U << 20U;

// One record as bytes.
[[nodiscard]] std::string Frame(const Json& record);

// Reassembles records from any split of the byte stream.
class Deframer {
 public:
  // Appends bytes and returns the records now complete. After malformed or oversized input nothing more comes
  // out and broken() says why.
  [[nodiscard]] std::vector<Json> Push(std::string_view bytes);
  [[nodiscard]] const std::string& broken() const { return broken_; }

 private:
  std::string pending_;
  std::size_t total_bytes_ = 0;
  std::string broken_;
};

}  // namespace probe::isolate
