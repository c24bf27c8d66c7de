// SPDX-License-Identifier: MIT
#include "backends/core/measurement_fields.h"

template struct probe::Codec<backends::Measurement>;
template struct probe::Codec<backends::MeasureRequest>;

namespace probe {
namespace {

struct ProblemField {
  const char* key;
  std::uint32_t kernels::Problem::* member;
};
constexpr std::array kProblemFields = {
    ProblemField{"m", &kernels::Problem::m},       ProblemField{"n", &kernels::Problem::n},
    ProblemField{"k", &kernels::Problem::k},       ProblemField{"count", &kernels::Problem::count},
    ProblemField{"seed", &kernels::Problem::seed},
};

}  // namespace

Json Codec<kernels::Problem>::Encode(const kernels::Problem& value) {
  Json out = Json::object();
  for (const ProblemField& field : kProblemFields) {
    if (value.*field.member != 0) out[field.key] = value.*field.member;
  }
  return out;
}

detail::MaybeError Codec<kernels::Problem>::Decode(const Json& json, const std::string& path,
                                                   kernels::Problem& value) {
  if (!json.is_object()) return detail::Mismatch(path, "an object");
  for (const ProblemField& field : kProblemFields) {
    const auto found = json.find(field.key);
    if (found == json.end()) continue;
    if (auto error = Codec<std::uint32_t>::Decode(*found, path + "." + field.key, value.*field.member))
      return error;
  }
  return std::nullopt;
}

}  // namespace probe

namespace backends {
namespace {

// In the order of MeasureEvent's alternatives.
constexpr std::array<const char*, std::variant_size_v<MeasureEvent>> kEventNames = {"stage", "measurement"};

template <class T>
probe::Result<MeasureEvent> DecodeValue(const probe::Json& json) {
  auto value = probe::Decode<T>(json);
  if (!value) return value.error();
  return MeasureEvent(*std::move(value));
}

constexpr std::array<probe::Result<MeasureEvent> (*)(const probe::Json&), kEventNames.size()> kDecoders = {
    DecodeValue<MeasureStage>, DecodeValue<Measurement>};

}  // namespace

probe::Json EncodeEvent(const MeasureEvent& event) {
  probe::Json out = probe::Json::object();
  out["event"] = kEventNames[event.index()];
  out["value"] = std::visit([](const auto& value) { return probe::Encode(value); }, event);
  return out;
}

probe::Result<MeasureEvent> DecodeEvent(const probe::Json& json) {
  if (!json.is_object() || !json.contains("event") || !json.contains("value")) {
    return probe::Error{"decode", std::nullopt, "event", "expected an object with event and value"};
  }
  for (std::size_t i = 0; i < kEventNames.size(); ++i) {
    if (json["event"] == kEventNames[i]) return kDecoders[i](json["value"]);
  }
  return probe::Error{"decode", std::nullopt, "event", "no event has that name"};
}

}  // namespace backends
