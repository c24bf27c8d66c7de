// SPDX-License-Identifier: MIT
// The wire between a child and its parent: records of a 4-byte little-endian length and that many bytes of
// JSON.
// {"stage": ...} and {"event"/...} records are the caller's; {"done": true} is the child's last word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/codec.h"

namespace probe::isolate {

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
