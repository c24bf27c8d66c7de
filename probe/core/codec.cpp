// SPDX-License-Identifier: MIT
#include "probe/core/codec.h"

#include <array>

#include "probe/core/fields.h"

namespace probe {

template struct Codec<ProbeReport>;
template struct Codec<PhysicalDevice>;
template struct Codec<RuntimeDevice>;
template struct Codec<HardwareDevice>;

std::string ToText(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Result<Json> ParseJson(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return Error{
        "parse JSON", std::nullopt, "too large",
        std::to_string(text.size()) + " bytes, at most " + std::to_string(max_bytes) + " are accepted"};
  }
  constexpr int kMaxDepth = 64;
  bool too_deep = false;
  const auto guard = [&too_deep](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  Json json = Json::parse(text.begin(), text.end(), guard, false);
  if (too_deep) return Error{"parse JSON", std::nullopt, "too deep", "nested deeper than 64 levels"};
  if (json.is_discarded())
    return Error{"parse JSON", std::nullopt, "malformed", "not one whole JSON document"};
  return json;
}

namespace {

// In the order of ProbeEvent's alternatives.
constexpr std::array<const char*, std::variant_size_v<ProbeEvent>> kEventNames = {
    "stage", "library", "driver", "device", "hardware", "environment", "warning", "failure"};

template <std::size_t I = 0>
Result<ProbeEvent> DecodeAlternative(std::string_view name, const Json& value) {
  if constexpr (I < kEventNames.size()) {
    if (name != kEventNames[I]) return DecodeAlternative<I + 1>(name, value);
    auto decoded = Decode<std::variant_alternative_t<I, ProbeEvent>>(value);
    if (!decoded) return decoded.error();
    return ProbeEvent(std::in_place_index<I>, *std::move(decoded));
  } else {
    return Error{"decode", std::nullopt, "event", "no event has that name"};
  }
}

}  // namespace

Json EncodeEvent(const ProbeEvent& event) {
  Json out = Json::object();
  out["event"] = kEventNames[event.index()];
  out["value"] = std::visit([](const auto& value) { return Encode(value); }, event);
  return out;
}

Result<ProbeEvent> DecodeEvent(const Json& json) {
  if (!json.is_object() || !json.contains("event") || !json["event"].is_string() || !json.contains("value")) {
    return Error{"decode", std::nullopt, "event", "expected an object with event and value"};
  }
  return DecodeAlternative(json["event"].get_ref<const std::string&>(), json["value"]);
}

}  // namespace probe
