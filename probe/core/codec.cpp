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

std::string ToText(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxKeys = 1024;
constexpr std::size_t kMaxValues = std::size_t{1} << 21U;  // a machine of 4,000 devices has a tenth

// What of a JSON text would cost its reader dearly, looked for before it is parsed: more than kMaxDepth
// arrays and objects within each other, or more keys in one object than any of ours could have, among which a
// parser that keeps their order searches, or more than kMaxValues values, each of which takes sixteen bytes
// and more. Nothing where there is none of them. The parser could count them itself, at twice the time.
std::optional<Error> TooMuch(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::array<std::size_t, kMaxDepth + 1> keys{};
  std::size_t open = 0;
  std::size_t values = 1;
  bool in_string = false;
  bool is_first = false;  // of the array or object that was opened last
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_first && kBlanks.find(c) == std::string_view::npos) {
      is_first = false;
      values += c == ']' || c == '}' ? 0 : 1;
    }
    values += c == ',' && !in_string ? 1 : 0;
    if (values > kMaxValues) {
      return Error{"parse JSON", std::nullopt, "too many values",
                   "more than " + std::to_string(kMaxValues) + " values"};
    }
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      i += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++open > kMaxDepth) {
        return Error{"parse JSON", std::nullopt, "too deep",
                     "nested deeper than " + std::to_string(kMaxDepth) + " levels"};
      }
      keys[open] = 0;
      is_first = true;
    } else if (c == ']' || c == '}') {
      open -= open > 0 ? 1 : 0;
    } else if (c == ':' && ++keys[open] > kMaxKeys) {
      return Error{"parse JSON", std::nullopt, "too wide",
                   "more than " + std::to_string(kMaxKeys) + " keys in one object"};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Json> ParseJson(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return Error{
        "parse JSON", std::nullopt, "too large",
        std::to_string(text.size()) + " bytes, at most " + std::to_string(max_bytes) + " are accepted"};
  }
  if (auto problem = TooMuch(text)) return *std::move(problem);
  // The parser takes a NUL for the end, whatever stands behind it; none may stand in JSON (RFC 8259, 7).
  const bool is_cut = text.find('\0') != std::string_view::npos;
  Json json = is_cut ? Json(Json::value_t::discarded) : Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded())
    return Error{"parse JSON", std::nullopt, "malformed", "not one whole JSON document"};
  return json;
}

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
