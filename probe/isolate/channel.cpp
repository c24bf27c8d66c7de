// SPDX-License-Identifier: MIT
#include "probe/isolate/channel.h"

namespace probe::isolate {
namespace {

constexpr std::size_t kLengthBytes = 4;

std::size_t LengthOf(std::string_view frame) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    out |= static_cast<std::size_t>(static_cast<unsigned char>(frame[i])) << (8 * i);
  }
  return out;
}

}  // namespace

std::string Frame(const Json& record) {
  const std::string text = ToText(record);
  std::string out;
  out.reserve(kLengthBytes + text.size());
  for (std::size_t i = 0; i < kLengthBytes; ++i) out += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return out + text;
}

std::vector<Json> Deframer::Push(std::string_view bytes) {
  std::vector<Json> out;
  if (!broken_.empty()) return out;
  total_bytes_ += bytes.size();
  pending_ += bytes;
  std::string_view rest = pending_;
  while (rest.size() >= kLengthBytes && broken_.empty()) {
    const std::size_t length = LengthOf(rest);
    if (length > kMaxRecordBytes) {
      broken_ = "a record of " + std::to_string(length) + " bytes";
      break;
    }
    if (rest.size() < kLengthBytes + length) break;
    auto record = ParseJson(rest.substr(kLengthBytes, length), kMaxRecordBytes);
    rest.remove_prefix(kLengthBytes + length);
    if (record && record->is_object()) {
      out.push_back(*std::move(record));
    } else {
      broken_ = "a record that is not a JSON object";
    }
  }
  pending_.erase(0, pending_.size() - rest.size());
  if (broken_.empty() && total_bytes_ > kMaxResultBytes) {
    broken_ = "more than " + std::to_string(kMaxResultBytes) + " bytes of results";
  }
  return out;
}

}  // namespace probe::isolate
