// SPDX-License-Identifier: MIT
#include "probe/core/codec.h"

#include <array>
#include <cmath>

#include "probe/core/fields.h"
#include "probe/core/text.h"

namespace probe {
namespace detail {

MaybeError Mismatch(const std::string& path, std::string_view expected) {
  return Error{"decode", std::nullopt, path.empty() ? "document" : path, "expected " + std::string(expected)};
}

std::string ElementPath(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

MaybeError ArrayProblem(const Json& json, const std::string& path) {
  if (!json.is_array()) return Mismatch(path, "an array");
  if (json.size() > kMaxArray) return Mismatch(path, "at most " + std::to_string(kMaxArray) + " elements");
  return std::nullopt;
}

MaybeError DecodeInteger(const Json& json, const std::string& path, std::int64_t least,
                         std::uint64_t greatest, std::uint64_t& value) {
  bool fits = false;
  if (json.is_number_unsigned()) {
    value = json.get<std::uint64_t>();
    fits = std::cmp_greater_equal(value, least) && value <= greatest;
  } else if (json.is_number_integer()) {
    const auto number = json.get<std::int64_t>();
    value = static_cast<std::uint64_t>(number);
    fits = number >= least && std::cmp_less_equal(number, greatest);
  }
  if (fits) return std::nullopt;
  return Mismatch(path, "an integer from " + std::to_string(least) + " to " + std::to_string(greatest));
}

void FieldEncoder::Put(const char* key, Json encoded) {
  if (!encoded.is_null()) out_[key] = std::move(encoded);
}

std::string FieldDecoder::PathOf(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

const Json* FieldDecoder::Find(const char* key, bool optional) {
  if (error_) return nullptr;
  const auto found = in_.find(key);
  if (found != in_.end()) return &*found;
  if (!optional) error_ = Mismatch(PathOf(key), "a value, but the key is missing");
  return nullptr;
}

}  // namespace detail

detail::MaybeError Codec<bool>::Decode(const Json& json, const std::string& path, bool& value) {
  if (!json.is_boolean()) return detail::Mismatch(path, "true or false");
  value = json.get<bool>();
  return std::nullopt;
}

Json Codec<double>::Encode(double value) { return std::isfinite(value) ? Json(value) : Json(); }
detail::MaybeError Codec<double>::Decode(const Json& json, const std::string& path, double& value) {
  // No time, rate, share or size of ours is below 0.
  if (json.is_number()) value = json.get<double>();
  if (json.is_number() && std::isfinite(value) && value >= 0) return std::nullopt;
  return detail::Mismatch(path, "a number from 0 on");
}

Json Codec<std::string>::Encode(const std::string& value) { return value; }
detail::MaybeError Codec<std::string>::Decode(const Json& json, const std::string& path, std::string& value) {
  if (!json.is_string()) return detail::Mismatch(path, "a string");
  value = CleanText(json.get_ref<const std::string&>(), kMaxDecodedTextBytes);
  return std::nullopt;
}

template struct Codec<ProbeReport>;
template struct Codec<PhysicalDevice>;
template struct Codec<RuntimeDevice>;
template struct Codec<HardwareDevice>;

namespace {

// In the order of ProbeEvent's alternatives.
constexpr std::array<const char*, std::variant_size_v<ProbeEvent>> kEventNames = {
    "stage", "library", "driver", "device", "hardware", "environment", "warning", "failure"};

}  // namespace

Json EncodeEvent(const ProbeEvent& event) { return detail::EncodeEvent<kEventNames>(event); }

Result<ProbeEvent> DecodeEvent(const Json& json) {
  return detail::DecodeEvent<kEventNames, ProbeEvent>(json);
}

}  // namespace probe
